/** Money as stored: whole millionths of a US dollar, which add up exactly. */
export type Micros = number;

const MICROS = 1_000_000;

export function microsOf(usd: number): Micros {
  return Math.round(usd * MICROS);
}

export function usdOf(micros: Micros): number {
  return micros / MICROS;
}

/** `$0.20`, and `$0.015` where there are parts of a cent. */
export function formatUsd(micros: Micros): string {
  return `$${micros % CENT === 0 ? usdOf(micros).toFixed(2) : usdOf(micros)}`;
}

const CENT = MICROS / 100;
