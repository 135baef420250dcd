/** Milliseconds since X's epoch, shifted by 22 bits, plus a sequence. With 19 digits, ids sort as text. */
export class IdGenerator {
  readonly #machine: bigint;
  #lastMs = 0;
  #sequence = 0n;

  /** Different machines produce different ids. */
  constructor(machine = 1) {
    this.#machine = BigInt(machine) << 12n;
  }

  /** Greater than all earlier ids. */
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

export function firstIdAt(time: number): string {
  return sortable(String(BigInt(Math.max(0, Math.floor(time) - epoch)) << 22n));
}

export function timeOfId(id: string): number {
  return Number(BigInt(id) >> 22n) + epoch;
}

/** Then shorter ids compare as text. */
export function sortable(id: string): string {
  return id.padStart(19, "0");
}

const epoch = 1_288_834_974_657;
