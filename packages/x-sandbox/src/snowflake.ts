/**
 * X's ids: milliseconds since X's own epoch, shifted left by 22 bits, plus a sequence.
 * Every id here has 19 digits (X's own have since 2018), so that ids sort as text.
 */
export class IdGenerator {
  readonly #machine: bigint;
  #lastMs = 0;
  #sequence = 0n;

  /** Mints with different machine numbers never give the same id. */
  constructor(machine = 1) {
    this.#machine = BigInt(machine) << 12n;
  }

  /** An id for the given instant, greater than every id minted before. */
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

/** The smallest id of an instant: ids of that instant and later are not below it. */
export function firstIdAt(time: number): string {
  return sortable(String(BigInt(Math.max(0, Math.floor(time) - epoch)) << 22n));
}

export function timeOfId(id: string): number {
  return Number(BigInt(id) >> 22n) + epoch;
}

/** Ids that callers send may be shorter; padded to 19 digits they compare as text. */
export function sortable(id: string): string {
  return id.padStart(19, "0");
}

const epoch = 1_288_834_974_657;
