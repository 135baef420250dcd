/** Draws a Mermaid flowchart as SVG from top to bottom, in the colors of the page. Undefined for any other diagram. */
export function flowchartSvg(text: string): string | undefined {
  const [first = "", ...statements] = text.trim().split("\n");
  if (!first.startsWith("flowchart ")) return undefined;
  const labels = new Map<string, string>();
  const edges: Edge[] = [];
  for (const statement of statements) {
    let from: string | undefined;
    for (const [, label = "", id = "", name] of statement.matchAll(NODE)) {
      if (name !== undefined || !labels.has(id)) labels.set(id, name ?? id);
      if (from !== undefined) edges.push({ from, to: id, label });
      from = id;
    }
  }
  return draw(labels, edges);
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

interface Box {
  readonly id: string;
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
  /** The width with the labels of arrows that end here. */
  readonly slot: number;
  /** The center of its upper edge. */
  readonly x: number;
  readonly y: number;
}

/** An optional arrow with its label, then an id with an optional label in brackets. */
const NODE = /(?:-->(?:\|([^|]*)\|)?\s*)?([\w-]+?)(?:[[({]+"?([^"\])}]*)"?[\])}]+)?(?=\s|$)/g;

const LINE = 20;
const GAP = 24;
const SPACE = 54;
const LETTER = 7.6;
const SMALL_LETTER = 6.4;
const SIDE = 44;

function draw(labels: ReadonlyMap<string, string>, edges: readonly Edge[]): string {
  const ids = [...labels.keys()];
  const backward = edges.filter((edge) => isBackward(edge, edges, ids));
  const forward = edges.filter((edge) => !backward.includes(edge));
  const rows = rowsOf(ids, forward).map((row) => row.map((id) => newBox(id, labels.get(id) ?? id, forward)));
  const widths = rows.map((row) => row.reduce((sum, { slot }) => sum + slot + GAP, -GAP));
  const widest = Math.max(...widths);
  let y = 4;
  for (const [index, row] of rows.entries()) {
    let x = 4 + (widest - (widths[index] ?? 0)) / 2;
    for (const box of row) {
      Object.assign(box, { x: x + box.slot / 2, y });
      x += box.slot + GAP;
    }
    y += Math.max(...row.map(({ height }) => height)) + SPACE;
  }
  const boxes = new Map(rows.flat().map((box) => [box.id, box]));
  const notes = backward.map(({ label }) => label.length * SMALL_LETTER);
  const width = widest + 8 + (backward.length === 0 ? 0 : SIDE + Math.max(...notes));
  const names = edges.map(({ from, to }) => `${nameOf(labels, from)} to ${nameOf(labels, to)}`);
  return [
    `<svg class="flowchart" viewBox="0 0 ${width} ${y - SPACE + 4}" width="${width}" role="img" aria-label="Diagram: ${escaped(names.join(", "))}">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
    ...forward.map((edge) => downward(edge, boxes)),
    ...backward.map((edge) => aside(edge, boxes, widest)),
    ...rows.flat().map(drawnBox),
    "</svg>",
  ].join("");
}

function newBox(id: string, label: string, edges: readonly Edge[]): Box {
  const lines = label.split("<br>");
  const width = Math.max(...lines.map((line) => line.length)) * LETTER + 28;
  const notes = edges.filter(({ to }) => to === id).map((edge) => edge.label.length * SMALL_LETTER);
  return { id, lines, width, height: lines.length * LINE + 14, slot: Math.max(width, ...notes), x: 0, y: 0 };
}

function nameOf(labels: ReadonlyMap<string, string>, id: string): string {
  return (labels.get(id) ?? id).replace(/<br>.*/, "");
}

/** True if an edge closes a circle: its end reaches its start over edges between nodes in the order of the text. */
function isBackward({ from, to }: Edge, edges: readonly Edge[], order: readonly string[]): boolean {
  const reached = new Set([to]);
  for (const id of reached)
    for (const next of edges) if (next.from === id && next.to !== to) reached.add(next.to);
  return reached.has(from) && order.indexOf(to) <= order.indexOf(from);
}

/** Each node is above everything that it points to. Neighbors of the row below decide the order in a row. */
function rowsOf(ids: readonly string[], edges: readonly Edge[]): readonly string[][] {
  const depths = new Map<string, number>();
  const depth = (id: string): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    const below = edges.filter(({ from }) => from === id).map(({ to }) => depth(to) + 1);
    const own = Math.max(0, ...below);
    depths.set(id, own);
    return own;
  };
  const deepest = Math.max(...ids.map(depth));
  const rows = Array.from({ length: deepest + 1 }, (_, row) =>
    ids.filter((id) => depth(id) === deepest - row),
  );
  for (const [row, below] of [...rows.entries()].reverse()) {
    const upper = rows[row - 1];
    const place = (id: string) => {
      const targets = edges.filter(({ from }) => from === id).map(({ to }) => below.indexOf(to));
      const seen = targets.filter((target) => target >= 0);
      return seen.length === 0 ? below.length : seen.reduce((sum, target) => sum + target, 0) / seen.length;
    };
    upper?.sort((a, b) => place(a) - place(b));
  }
  return rows;
}

function downward({ from, to, label }: Edge, boxes: ReadonlyMap<string, Box>): string {
  const [start, end] = [boxes.get(from), boxes.get(to)];
  if (start === undefined || end === undefined) return "";
  const y = start.y + start.height;
  const bend = SPACE / 2;
  const path = `M${start.x} ${y}C${start.x} ${y + bend} ${end.x} ${end.y - bend} ${end.x} ${end.y}`;
  return `<path d="${path}" marker-end="url(#tip)"/>${note(label, end.x, end.y - 16)}`;
}

/** To the right of all boxes. */
function aside({ from, to, label }: Edge, boxes: ReadonlyMap<string, Box>, widest: number): string {
  const [start, end] = [boxes.get(from), boxes.get(to)];
  if (start === undefined || end === undefined) return "";
  const [y, toY] = [start.y + start.height / 2, end.y + end.height / 2];
  const side = widest + 8;
  const path = `M${start.x + start.width / 2} ${y}H${side}Q${side + 14} ${y} ${side + 14} ${y - 14}V${toY + 14}Q${side + 14} ${toY} ${side} ${toY}H${end.x + end.width / 2}`;
  return `<path d="${path}" marker-end="url(#tip)"/>${note(label, side + 20, (y + toY) / 2 + 4, "start")}`;
}

function note(label: string, x: number, y: number, anchor = "middle"): string {
  return label === ""
    ? ""
    : `<text class="note" x="${x}" y="${y}" text-anchor="${anchor}">${escaped(label)}</text>`;
}

function drawnBox({ lines, width, height, x, y }: Box): string {
  const texts = lines.map(
    (line, index) =>
      `<text${index === 0 ? "" : ' class="note"'} x="${x}" y="${y + 7 + index * LINE + LINE * 0.72}" text-anchor="middle">${escaped(line)}</text>`,
  );
  return `<rect x="${x - width / 2}" y="${y}" width="${width}" height="${height}" rx="8"/>${texts.join("")}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
