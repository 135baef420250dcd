/** Money as stored: whole millionths of a US dollar, which add up exactly. */
export type Micros = number;

const MICROS = 1_000_000;

export function microsOf(usd: number): Micros {
  return Math.round(usd * MICROS);
}

export function usdOf(micros: Micros): number {
  return micros / MICROS;
}

/** `$0.015` */
export function formatUsd(micros: Micros): string {
  return `$${usdOf(micros)}`;
}
