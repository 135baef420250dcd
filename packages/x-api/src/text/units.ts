/** Faster to read than the string. The final newline spares a length check. */
export type Units = Uint16Array;

/** In no entity, so every reader stops. */
const END = 0x0a;

/** Valid until the next call, which reuses the memory. */
export function unitsOf(text: string): Units {
  if (text === copied) return units;
  if (tablesToMake.length > 0) for (const make of tablesToMake.splice(0)) make();
  if (text.length + MARGIN > units.length) {
    units = new Uint16Array(2 * text.length + MARGIN);
    bytes = bytesOf(units);
  }
  if (bytes === undefined) for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  else {
    bytes.write(text, 0, "utf16le");
    if (IS_BIG_ENDIAN) bytes.subarray(0, 2 * text.length).swap16();
  }
  for (let at = text.length; at < text.length + MARGIN; at++) units[at] = END;
  copied = text;
  return units;
}

/** Fills a table before the first text, not at startup. */
export function beforeFirstText(make: () => void): void {
  tablesToMake.push(make);
}

export function unitAt(units: Units, at: number): number {
  // Readers stop at the newline.
  return units[at] as number;
}

export function isAsciiLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Ignores case. */
export function isWritten(word: string, units: Units, at: number): boolean {
  for (let index = 0; index < word.length; index++) {
    const unit = unitAt(units, at + index);
    const lower = unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
    if (lower !== word.charCodeAt(index)) return false;
  }
  return true;
}

const MARGIN = 2;
const IS_BIG_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0;

const tablesToMake: (() => void)[] = [];

let copied: string | undefined;
let units = new Uint16Array(1024);
let bytes = bytesOf(units);

/** Faster than a loop; undefined in a browser. */
function bytesOf(memory: Units): Buffer | undefined {
  return typeof Buffer === "undefined" ? undefined : Buffer.from(memory.buffer);
}

/** -1 if there is none. Its full-width form counts if the text has one. */
export function nextSign(text: string, plain: string, wide: string | undefined, from: number): number {
  const at = text.indexOf(plain, from);
  if (wide === undefined) return at;
  const wideAt = text.indexOf(wide, from);
  return at === -1 || (wideAt !== -1 && wideAt < at) ? wideAt : at;
}
