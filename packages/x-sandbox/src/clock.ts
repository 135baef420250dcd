/** Frozen until moved, or driven by a real clock, possibly faster. */
export class SandboxClock {
  readonly start: number;
  readonly speed: number;
  readonly #source: (() => number) | undefined;
  #base: number;
  #sourceAtBase: number;

  constructor(start: number, source?: () => number, speed = 1) {
    this.start = start;
    this.speed = speed;
    this.#source = source;
    this.#base = start;
    this.#sourceAtBase = source?.() ?? 0;
  }

  now(): number {
    if (this.#source === undefined) return this.#base;
    return this.#base + Math.floor((this.#source() - this.#sourceAtBase) * this.speed);
  }

  get runs(): boolean {
    return this.#source !== undefined;
  }

  set(time: number): void {
    this.#base = time;
    this.#sourceAtBase = this.#source?.() ?? 0;
  }

  advance(milliseconds: number): void {
    this.set(this.now() + milliseconds);
  }
}

/** A Tuesday at noon. */
export const defaultStart: number = Date.UTC(2026, 8, 1, 12);

/** Ids must have 19 digits to compare as text. */
export const earliest: number = Date.UTC(2019, 0, 1);
export const latest: number = Date.UTC(2080, 0, 1);

export const second = 1_000;
export const minute: number = 60 * second;
export const hour: number = 60 * minute;
export const day: number = 24 * hour;

export function utcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
