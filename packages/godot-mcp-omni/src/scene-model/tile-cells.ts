import { parseVariant } from "../formats/variant.ts";
import type { Tile } from "../operations/scene-edit.ts";
import { base64Of } from "./variant-to-json.ts";

/** A cell is x, y, source, atlas x, atlas y and alternative, 16 bits each, behind a version of 16 bits. */
export const CELL_BYTES = 12;

/** True for a cell that is given by its place only. */
export function isErased({ source, atlas, alternative }: Tile): boolean {
  return source === undefined && atlas === undefined && alternative === undefined;
}

export function cellOf({ x, y, atlas, alternative }: Tile, source: number): Buffer {
  const cell = Buffer.alloc(CELL_BYTES);
  cell.writeInt16LE(x, 0);
  cell.writeInt16LE(y, 2);
  cell.writeUInt16LE(source, 4);
  cell.writeUInt16LE(atlas?.x ?? 0, 6);
  cell.writeUInt16LE(atlas?.y ?? 0, 8);
  cell.writeUInt16LE(alternative ?? 0, 10);
  return cell;
}

/** Cells as a Tile each, without those that are erased. */
export function cellsOf(data: Buffer): Tile[] {
  const cells: Tile[] = [];
  for (let at = 2; at + CELL_BYTES <= data.length; at += CELL_BYTES) {
    const [x, y] = [data.readInt16LE(at), data.readInt16LE(at + 2)];
    const [source = 0, atlasX = 0, atlasY = 0] = [4, 6, 8].map((offset) => data.readUInt16LE(at + offset));
    const alternative = data.readUInt16LE(at + 10);
    if (source !== ERASED)
      cells.push({ x, y, source, atlas: { x: atlasX, y: atlasY }, ...(alternative > 0 && { alternative }) });
  }
  return cells;
}

const ERASED = 0xffff;

export function bytesOf(text: string | undefined): Buffer {
  const parsed = text === undefined ? undefined : parseVariant(text);
  if (parsed === undefined || !parsed.ok || parsed.value.kind !== "call") return Buffer.alloc(0);
  return Buffer.from(base64Of(parsed.value.args), "base64");
}
