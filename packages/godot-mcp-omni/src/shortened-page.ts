/** Default page size of a longer list or text in an answer. */
const PAGE_BYTES = 6500;

/** The first items, or the last ones, that fit on a page; at least one. */
export function onePage<T>(items: readonly T[], from: "first" | "last" = "first"): readonly T[] {
  const ordered = from === "first" ? items : items.toReversed();
  let bytes = 0;
  const kept = ordered.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return bytes > PAGE_BYTES;
  });
  if (kept === -1) return items;
  const size = Math.max(kept, 1);
  return from === "first" ? items.slice(0, size) : items.slice(-size);
}

/** The beginning of a text that fits on a page, to the end of a line if there is one. */
export function firstPage(text: string): string {
  let length = Math.min(text.length, PAGE_BYTES);
  while (length > 200 && Buffer.byteLength(JSON.stringify(text.slice(0, length))) > PAGE_BYTES)
    length = Math.floor(length * 0.9);
  if (length === text.length) return text;
  const line = text.lastIndexOf("\n", length);
  return text.slice(0, line > 200 ? line : length);
}

/** A value with long texts and lists shortened, for an answer that shows its structure. */
export function shortValues<T>(value: T, limits = { text: 300, items: 12 }): T {
  const short = (part: unknown): unknown => {
    if (typeof part === "string") return part.length > limits.text ? `${part.slice(0, limits.text)}…` : part;
    if (Array.isArray(part)) return part.slice(0, limits.items).map(short);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, short(member)]));
  };
  // The same shape: texts stay texts and lists stay lists.
  return short(value) as T;
}
