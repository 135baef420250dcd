/** First and last code of each range, sorted. */
export type Ranges = readonly number[];

/** `within("az", "09")` */
export function within(...pairs: readonly string[]): Ranges {
  return pairs.flatMap((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]);
}

export function oneOf(characters: string): Ranges {
  return characters.split("").flatMap((character) => [character.charCodeAt(0), character.charCodeAt(0)]);
}

/** Decodes the gap and length of each range from a generated table. */
export function rangesOf(table: string): Ranges {
  const ranges: number[] = [];
  let code = 0;
  for (const [at, number] of table.split(" ").entries()) {
    code += Number.parseInt(number, 36);
    ranges.push(at % 2 === 0 ? code : code - 1);
  }
  return ranges;
}

export function isWithin(ranges: Ranges, code: number): boolean {
  let low = 0;
  let high = ranges.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[2 * middle + 1] ?? 0) < code) low = middle + 1;
    else high = middle;
  }
  return (ranges[2 * low] ?? Number.POSITIVE_INFINITY) <= code;
}

export function paint(table: Uint16Array | Uint8Array, value: number, ...sets: readonly Ranges[]): void {
  for (const ranges of sets) {
    for (let at = 0; at < ranges.length; at += 2) table.fill(value, ranges[at], (ranges[at + 1] ?? 0) + 1);
  }
}

/** For small sets: `paint` is much faster. */
export function addBits(table: Uint16Array | Uint8Array, bits: number, ...sets: readonly Ranges[]): void {
  for (const ranges of sets) {
    for (let at = 0; at < ranges.length; at += 2) {
      const last = ranges[at + 1] ?? 0;
      for (let code = ranges[at] ?? 0; code <= last; code++) table[code] = (table[code] ?? 0) | bits;
    }
  }
}
