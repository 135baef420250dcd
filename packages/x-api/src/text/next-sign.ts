/** The next place of a sign from `from` on, or -1. Where the text has its wide form, that counts as well. */
export function nextSign(text: string, plain: string, wide: string | undefined, from: number): number {
  const at = text.indexOf(plain, from);
  if (wide === undefined) return at;
  const wideAt = text.indexOf(wide, from);
  return at === -1 || (wideAt !== -1 && wideAt < at) ? wideAt : at;
}
