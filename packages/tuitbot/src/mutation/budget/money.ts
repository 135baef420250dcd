/** Money as the database stores it: whole millionths of a dollar, so that sums are exact. */
export type Micros = number;

export function microsOf(usd: number): Micros {
  return Math.round(usd * 1e6);
}

export function usdOf(micros: Micros): number {
  return micros / 1e6;
}

/** `$0.015` */
export function formatUsd(micros: Micros): string {
  return `$${usdOf(micros)}`;
}
