/** By RFC 3492. Japanese text joins the domain it precedes, and can make a label too long. */
export function everyLabelFits(domain: string): boolean {
  return domain.split(".").every(fits);
}

export const MAX_LABEL_LENGTH = 63;

/** Ideographic full stops separate labels too. */
const FULL_STOPS = /[\u3002\uff0e\uff61]/;
const ASCII = /^[\0-\x7f]*$/;
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;

function fits(label: string): boolean {
  // A code point becomes at most six letters, plus "xn--" and one dash.
  if (label.length <= 9) return true;
  // It becomes at least one letter and is at most two units.
  if (label.length > 2 * MAX_LABEL_LENGTH) return false;
  const parts = label.split(FULL_STOPS);
  const lengths = parts.map((part) => (ASCII.test(part) ? part.length : "xn--".length + encodedLength(part)));
  return lengths.reduce((sum, length) => sum + length, parts.length - 1) <= MAX_LABEL_LENGTH;
}

function encodedLength(label: string): number {
  const points = Array.from(label, (character) => character.codePointAt(0) ?? 0);
  const basic = points.filter((point) => point < 0x80).length;
  let length = basic === 0 ? 0 : basic + 1;
  let handled = basic;
  let bias = 72;
  let delta = 0;
  let next = 0x80;
  while (handled < points.length) {
    const smallest = points.reduce(
      (least, point) => (point >= next && point < least ? point : least),
      Infinity,
    );
    delta += (smallest - next) * (handled + 1);
    next = smallest;
    for (const point of points) {
      if (point < next) delta++;
      if (point !== next) continue;
      length += digitsOf(delta, bias);
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled++;
    }
    delta++;
    next++;
  }
  return length;
}

function digitsOf(delta: number, bias: number): number {
  let digits = 1;
  let rest = delta;
  for (let k = BASE; ; k += BASE) {
    const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
    if (rest < threshold) return digits;
    rest = Math.floor((rest - threshold) / (BASE - threshold));
    digits++;
  }
}

function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / count);
  let bias = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; bias += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return Math.floor(bias + ((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
