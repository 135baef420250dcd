export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Mulberry32, in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.between(0, items.length - 1)] ?? items[0];
  }

  /** In random order. */
  sample<T>(items: readonly T[], count: number): T[] {
    const rest = [...items];
    const chosen: T[] = [];
    while (chosen.length < count && rest.length > 0) {
      chosen.push(...rest.splice(this.between(0, rest.length - 1), 1));
    }
    return chosen;
  }

  /** Like X's tokens. */
  token(length: number): string {
    let token = "";
    for (let i = 0; i < length; i++) token += letters[Math.floor(this.next() * letters.length)];
    return token;
  }
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** FNV-1a */
export function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
  return hash >>> 0;
}
