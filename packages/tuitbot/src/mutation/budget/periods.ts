/** The day and the month of a time, by UTC as X bills, and when they end. */
export interface Periods {
  readonly day: string;
  readonly month: string;
  readonly dayEnds: number;
  readonly monthEnds: number;
}

export function periodsOf(now: number): Periods {
  const date = new Date(now);
  const iso = date.toISOString();
  return {
    day: iso.slice(0, 10),
    month: iso.slice(0, 7),
    dayEnds: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1),
    monthEnds: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1),
  };
}
