/** Undefined if no name is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = fold(name);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, fold(candidate), limit);
    if (distance <= limit && (best === undefined || distance < best.distance))
      best = { name: candidate, distance };
  }
  return best?.name;
}

/** Makes `noteId`, `note-id` and `note_id` equal. Long names are cut. */
function fold(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[_\-\s]/g, "");
}

/** Damerau–Levenshtein. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? limit + 1;
}
