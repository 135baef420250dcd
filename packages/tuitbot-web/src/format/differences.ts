/** A stretch of text that is in both versions, or only in the old or the new one. */
export interface Part {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Words and the spaces between them, to keep differences readable. */
const WORDS = /\s+|[\p{L}\p{N}\p{M}_'’-]+|[^\s\p{L}\p{N}]/gu;

/** Texts of posts have a few hundred words. Beyond this the whole text is shown as changed. */
const MAX_CELLS = 1_000_000;

/** The difference between two texts, by words. */
export function differences(before: string, after: string): readonly Part[] {
  const a = before.match(WORDS) ?? [];
  const b = after.match(WORDS) ?? [];
  if (a.length * b.length > MAX_CELLS)
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  return joined(walk(a, b, commonLengths(a, b)));
}

/** For each pair of places, the length of the longest common rest. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      (rows[i] as Uint16Array)[j] =
        a[i] === b[j]
          ? (rows[i + 1]?.[j + 1] ?? 0) + 1
          : Math.max(rows[i + 1]?.[j] ?? 0, rows[i]?.[j + 1] ?? 0);
  return rows;
}

function* walk(a: readonly string[], b: readonly string[], rows: readonly Uint16Array[]): Generator<Part> {
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const removed = a[i];
    const added = b[j];
    if (removed !== undefined && removed === added) {
      yield { kind: "same", text: removed };
      i++;
      j++;
    } else if (
      removed !== undefined &&
      (added === undefined || (rows[i + 1]?.[j] ?? 0) >= (rows[i]?.[j + 1] ?? 0))
    ) {
      yield { kind: "removed", text: removed };
      i++;
    } else {
      yield { kind: "added", text: added ?? "" };
      j++;
    }
  }
}

function joined(parts: Iterable<Part>): readonly Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last?.kind === part.kind) all[all.length - 1] = { ...last, text: last.text + part.text };
    else all.push(part);
  }
  return all;
}
