import type { Json } from "@toolpact/contract";
import { isJsonObject } from "@toolpact/contract/internal";
import { writePng } from "./png.ts";

const WIDTH = 800;
const PANEL = 130;
const MARGIN = { left: 96, right: 16, top: 22, bottom: 14 };
const AXIS = 30;
const MAX_PANELS = 8;
const COLORS = ["#1f5fbf", "#c0392b", "#1e8449", "#8e44ad"];
const GRID = "#dddddd";
const INK = "#333333";
const SCALE = 2;

interface Line {
  readonly label: string;
  readonly values: readonly (number | undefined)[];
}

/** Plots a table of values by frame as a PNG: one panel for each column of numbers, vectors or booleans. */
export function plotOf(columns: readonly string[], rows: readonly (readonly Json[])[]): Uint8Array {
  const frames = rows.map(([frame]) => Number(frame));
  const panels = columns
    .slice(1)
    .map((name, index) => ({
      name,
      lines: linesOf(
        name,
        rows.map((row) => row[index + 1] ?? null),
      ),
    }))
    .filter(({ lines }) => lines.length > 0)
    .slice(0, MAX_PANELS);
  const canvas = new Canvas(WIDTH, Math.max(1, panels.length) * PANEL + AXIS);
  for (const [index, { lines }] of panels.entries()) drawPanel(canvas, index * PANEL, lines);
  const bottom = canvas.height - AXIS + 8;
  canvas.text(MARGIN.left, bottom, `frame ${frames[0] ?? 0}`, INK);
  const last = String(frames.at(-1) ?? 0);
  canvas.text(WIDTH - MARGIN.right - textWidth(last), bottom, last, INK);
  return canvas.png();
}

/** Returns one line per member of a vector. */
function linesOf(name: string, values: readonly Json[]): readonly Line[] {
  const members = [
    ...new Set(values.flatMap((value) => (isJsonObject(value) ? Object.keys(value) : [""]))),
  ].slice(0, COLORS.length);
  return members
    .map((member) => ({
      label: member === "" ? name : `${name}.${member}`,
      values: values.map((value) => numberOf(isJsonObject(value) ? (value[member] ?? null) : value)),
    }))
    .filter((line) => line.values.some((value) => value !== undefined));
}

function drawPanel(canvas: Canvas, top: number, lines: readonly Line[]): void {
  const all = lines.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const span = high - low || 1;
  const from = { x: MARGIN.left, y: top + MARGIN.top };
  const size = { x: WIDTH - MARGIN.left - MARGIN.right, y: PANEL - MARGIN.top - MARGIN.bottom };
  const yOf = (value: number) =>
    high === low ? from.y + size.y / 2 : from.y + size.y - ((value - low) / span) * size.y;
  for (const value of high === low ? [low] : [low, (low + high) / 2, high]) {
    const y = Math.round(yOf(value));
    canvas.line(from.x, y, from.x + size.x, y, GRID);
    const label = short(value);
    canvas.text(from.x - 6 - textWidth(label), y - 7, label, INK);
  }
  let x = from.x;
  for (const [index, { label, values }] of lines.entries()) {
    const color = COLORS[index] ?? INK;
    const text = label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 2)}..` : label;
    canvas.text(x, top + 2, text, color);
    x += textWidth(text) + 24;
    const step = size.x / Math.max(1, values.length - 1);
    for (const [at, value] of values.entries()) {
      const before = values[at - 1];
      if (value === undefined) continue;
      const end = { x: from.x + at * step, y: yOf(value) };
      if (before === undefined) canvas.line(end.x, end.y, end.x, end.y, color, 2);
      else canvas.line(end.x - step, yOf(before), end.x, end.y, color, 2);
    }
  }
}

const MAX_LABEL = 24;

function numberOf(value: Json): number | undefined {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function textWidth(text: string): number {
  return text.length * 6 * SCALE - SCALE;
}

class Canvas {
  readonly width: number;
  readonly height: number;
  private readonly bytes: Uint8Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.bytes = new Uint8Array(width * height * 3).fill(255);
  }

  dot(x: number, y: number, color: string): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const value = Number.parseInt(color.slice(1), 16);
    this.bytes.set([value >> 16, (value >> 8) & 255, value & 255], (y * this.width + x) * 3);
  }

  line(x1: number, y1: number, x2: number, y2: number, color: string, thickness = 1): void {
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1))));
    for (let step = 0; step <= steps; step++) {
      const x = Math.round(x1 + ((x2 - x1) * step) / steps);
      const y = Math.round(y1 + ((y2 - y1) * step) / steps);
      for (let across = 0; across < thickness; across++)
        for (let down = 0; down < thickness; down++) this.dot(x + across, y + down, color);
    }
  }

  text(x: number, y: number, text: string, color: string): void {
    for (const [index, letter] of [...text].entries()) {
      const code = letter.charCodeAt(0) - 32;
      const glyph = code >= 0 && code < FONT.length / 10 ? code : "?".charCodeAt(0) - 32;
      for (let column = 0; column < 5; column++) {
        const bits = Number.parseInt(FONT.slice(glyph * 10 + column * 2, glyph * 10 + column * 2 + 2), 16);
        for (let row = 0; row < 8; row++)
          if (bits & (1 << row))
            for (let dot = 0; dot < SCALE * SCALE; dot++)
              this.dot(
                x + (index * 6 + column) * SCALE + (dot % SCALE),
                y + row * SCALE + Math.floor(dot / SCALE),
                color,
              );
      }
    }
  }

  png(): Uint8Array {
    return writePng({ width: this.width, height: this.height, pixels: this.bytes });
  }
}

/** Characters of 5 by 8 dots from the space to `~`: five columns each, the lowest bit on top. */
const FONT = [
  "000000000000005f00000007000700147f147f14242a7f2a12231308646236495620500008070300001c2241000041221c00",
  "2a1c7f1c2a08083e080800807030000808080808000060600020100804023e5149453e00427f400072494949462141494d33",
  "1814127f1027454545393c4a49493141211109073649494936464949291e0000140000004034000000081422411414141414",
  "004122140802015909063e415d594e7c1211127c7f494949363e414141227f4141413e7f494949417f090909013e41415173",
  "7f0808087f00417f41002040413f017f081422417f404040407f021c027f7f0408107f3e4141413e7f090909063e4151215e",
  "7f09192946264949493203017f01033f4040403f1f2040201f3f4038403f631408146303047804036159494d43007f414141",
  "0204081020004141417f04020102044040404040000307080020545478407f284444383844444428384444287f3854545418",
  "00087e090218a4a49c787f0804047800447d40002040403d007f1028440000417f40007c047804787c080404783844444438",
  "fc1824241818242418fc7c08040408485454542404043f44243c4040207c1c2040201c3c4030403c44281028444c9090907c",
  "4464544c440008364100000077000000413608000201020402",
].join("");
