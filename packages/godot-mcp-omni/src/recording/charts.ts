import type { Json } from "@toolpact/contract";
import { isJsonObject } from "@toolpact/contract/internal";

/** Numbers by frame, starting with frame 1. Undefined for a missing value. */
export interface Series {
  readonly label: string;
  readonly values: readonly (number | undefined)[];
}

export interface ChartOptions {
  readonly frames: number;
  /** Unit after the numbers of an axis, such as ` ms`. */
  readonly unit?: string;
  /** Frames to draw a line at, such as those of inputs. */
  readonly marks?: readonly number[];
  /** Frames with a check, and whether it passed. */
  readonly checks?: readonly { readonly frame: number; readonly isSame: boolean }[];
  /** A value to draw a dashed line at. */
  readonly limit?: number;
  /** The minimum of the axis's upper end. */
  readonly atLeast?: number;
}

const WIDTH = 920;
const HEIGHT = 200;
const LEFT = 62;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 26;
const MAX_POINTS = 700;
const COLORS = 6;

/** A line chart as SVG; its colors are variables of the page. */
export function lineChart(series: readonly Series[], options: ChartOptions): string {
  const { frames, unit = "", marks = [], checks = [], limit, atLeast } = options;
  const all = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const { low, high, ticks } = axis([...all, ...(atLeast === undefined ? [] : [0, atLeast])]);
  const x = (frame: number) => LEFT + ((frame - 1) / Math.max(1, frames - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - (value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const parts = [
    ...ticks.map(
      (tick) =>
        `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at(y(tick))}" y2="${at(y(tick))}"/><text class="tick" x="${LEFT - 8}" y="${at(y(tick) + 4)}" text-anchor="end">${short(tick)}${unit}</text>`,
    ),
    ...frameTicks(frames).map(
      (frame) =>
        `<text class="tick" x="${at(x(frame))}" y="${HEIGHT - 6}" text-anchor="middle">${frame}</text>`,
    ),
    ...marks.map(
      (frame) =>
        `<line class="mark" x1="${at(x(frame))}" x2="${at(x(frame))}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>`,
    ),
    ...(limit !== undefined && limit >= low && limit <= high
      ? [`<line class="limit" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at(y(limit))}" y2="${at(y(limit))}"/>`]
      : []),
    ...series.map(
      ({ values }, index) =>
        `<path class="line c${index % COLORS}" d="${pathOf(thinned(values), (frame) => x(frame), y)}"/>`,
    ),
    ...checks.map(
      ({ frame, isSame }) =>
        `<circle class="${isSame ? "good" : "bad"}" cx="${at(x(frame))}" cy="${HEIGHT - BOTTOM}" r="4.5"/>`,
    ),
  ];
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" preserveAspectRatio="none">${parts.join("")}</svg>`;
}

/** Bars by frame in lanes. */
export function lanes(
  rows: readonly { readonly label: string; readonly from: number; readonly to: number }[],
  frames: number,
): string {
  const names = [...new Set(rows.map(({ label }) => label))];
  const height = names.length * 24 + BOTTOM;
  const left = 170;
  const x = (frame: number) => left + ((frame - 1) / Math.max(1, frames - 1)) * (WIDTH - left - RIGHT);
  const parts = names.flatMap((name, lane) => [
    `<line class="grid" x1="${left}" x2="${WIDTH - RIGHT}" y1="${lane * 24 + 12}" y2="${lane * 24 + 12}"/>`,
    `<text class="lane" x="${left - 10}" y="${lane * 24 + 16}" text-anchor="end">${escaped(name.length > 24 ? `${name.slice(0, 23)}…` : name)}</text>`,
    ...rows
      .filter(({ label }) => label === name)
      .map(({ from, to }) => {
        const width = Math.max(4, x(to) - x(from));
        return `<rect class="bar" x="${at(x(from))}" y="${lane * 24 + 5}" width="${at(width)}" height="14" rx="4"><title>${escaped(name)}: frame ${from}${to > from ? ` to ${to}` : ""}</title></rect>`;
      }),
  ]);
  const axisParts = frameTicks(frames).map(
    (frame) =>
      `<text class="tick" x="${at(x(frame))}" y="${height - 6}" text-anchor="middle">${frame}</text>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img">${parts.join("")}${axisParts.join("")}</svg>`;
}

/** The lines of one watched expression: a vector has one per member. */
export function seriesOf(label: string, values: readonly Json[]): readonly Series[] {
  const members = [
    ...new Set(values.flatMap((value) => (isJsonObject(value) ? Object.keys(value) : [""]))),
  ].slice(0, COLORS);
  return members
    .map((member) => ({
      label: member === "" ? label : `${label}.${member}`,
      values: values.map((value) => numberOf(isJsonObject(value) ? (value[member] ?? null) : value)),
    }))
    .filter((series) => series.values.some((value) => value !== undefined));
}

export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Limits the number of points; the minimum and maximum of each group stay. */
function thinned(values: readonly (number | undefined)[]): readonly (readonly [number, number])[] {
  const points = values.flatMap((value, index) => (value === undefined ? [] : [[index + 1, value] as const]));
  const group = Math.ceil((points.length * 2) / MAX_POINTS);
  if (group <= 2) return points;
  const kept: (readonly [number, number])[] = [];
  for (let from = 0; from < points.length; from += group) {
    const part = points.slice(from, from + group).toSorted((a, b) => a[1] - b[1]);
    const ends = [part[0], part.at(-1)].filter((point) => point !== undefined);
    kept.push(...ends.toSorted((a, b) => a[0] - b[0]));
  }
  return kept;
}

function pathOf(
  points: readonly (readonly [number, number])[],
  x: (frame: number) => number,
  y: (value: number) => number,
): string {
  return points
    .map(([frame, value], index) => `${index === 0 ? "M" : "L"}${at(x(frame))} ${at(y(value))}`)
    .join("");
}

function axis(values: readonly number[]): { low: number; high: number; ticks: readonly number[] } {
  const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(least)) return { low: 0, high: 1, ticks: [0, 1] };
  const span = most - least || Math.abs(most) || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough) ?? power * 10;
  const low = Math.floor(least / step) * step;
  const high = Math.max(low + step, Math.ceil(most / step) * step);
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, index) => low + index * step);
  return { low, high, ticks };
}

function frameTicks(frames: number): readonly number[] {
  const { ticks } = axis([0, frames]);
  return [1, ...ticks.filter((tick) => tick > 1 && tick <= frames)];
}

function numberOf(value: Json): number | undefined {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}
