/**
 * X's ids: milliseconds since X's own epoch, shifted left by 22 bits, plus a sequence.
 * Every id here has 19 digits (X's own have since 2018), so ids sort as text.
 */
export class IdGenerator {
  readonly #machine: bigint;
  #lastMs = 0;
  #sequence = 0n;

  /** Generators with different machine numbers do not produce the same id. */
  constructor(machine = 1) {
    this.#machine = BigInt(machine) << 12n;
  }

  /** Returns an id for the given time, greater than all earlier ones. */
  mint(time: number): string {
    if (time > this.#lastMs) {
      this.#lastMs = time;
      this.#sequence = this.#machine;
    } else {
      this.#sequence += 1n;
    }
    return String((BigInt(this.#lastMs - epoch) << 22n) + this.#sequence);
  }
}

/** The smallest id of a time. */
export function firstIdAt(time: number): string {
  return sortable(String(BigInt(Math.max(0, Math.floor(time) - epoch)) << 22n));
}

export function timeOfId(id: string): number {
  return Number(BigInt(id) >> 22n) + epoch;
}

/** Pads shorter ids from callers to 19 digits: then they compare as text. */
export function sortable(id: string): string {
  return id.padStart(19, "0");
}

const epoch = 1_288_834_974_657;
