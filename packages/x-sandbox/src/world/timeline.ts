export interface Entry {
  readonly item: string;
  /** A snowflake id, which sorts as text. */
  readonly key: string;
}

/** Readable in both directions from any key. */
export interface Readable {
  /** Below `before`, newest first. */
  older(before?: string): Iterable<Entry>;
  /** Above `after`, oldest first. */
  newer(after: string): Iterable<Entry>;
}

/** In order of arrival. A key stays valid if items come or go. */
export class Timeline implements Readable {
  readonly #entries: Entry[] = [];
  readonly #byItem = new Map<string, Entry>();

  get size(): number {
    return this.#entries.length;
  }

  has(item: string): boolean {
    return this.#byItem.has(item);
  }

  /** False if it was there. */
  add(item: string, key: string = item): boolean {
    if (this.#byItem.has(item)) return false;
    const entry = { item, key };
    const newest = this.#entries.at(-1);
    if (newest === undefined || newest.key <= key) this.#entries.push(entry);
    else this.#entries.splice(this.#firstNotBelow(key), 0, entry);
    this.#byItem.set(item, entry);
    return true;
  }

  /** False if it was not there. */
  remove(item: string): boolean {
    const entry = this.#byItem.get(item);
    if (entry === undefined) return false;
    this.#entries.splice(this.#entries.indexOf(entry, this.#firstNotBelow(entry.key)), 1);
    return this.#byItem.delete(item);
  }

  /** Oldest first. */
  items(): string[] {
    return this.#entries.map((entry) => entry.item);
  }

  newest(): string | undefined {
    return this.#entries.at(-1)?.item;
  }

  *older(before?: string): Generator<Entry> {
    let place = before === undefined ? this.#entries.length : this.#firstNotBelow(before);
    for (let entry = this.#entries[--place]; entry !== undefined; entry = this.#entries[--place]) yield entry;
  }

  *newer(after: string): Generator<Entry> {
    let place = this.#firstNotBelow(after);
    if (this.#entries[place]?.key === after) place++;
    for (let entry = this.#entries[place]; entry !== undefined; entry = this.#entries[++place]) yield entry;
  }

  #firstNotBelow(key: string): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && entry.key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export const nothing: Timeline = new Timeline();

export function merged(sources: readonly Timeline[]): Readable {
  return {
    older: (before) =>
      inOrder(
        sources.map((source) => source.older(before)),
        (a, b) => a > b,
      ),
    newer: (after) =>
      inOrder(
        sources.map((source) => source.newer(after)),
        (a, b) => a < b,
      ),
  };
}

function* inOrder(
  walks: readonly Generator<Entry>[],
  comesFirst: (a: string, b: string) => boolean,
): Generator<Entry> {
  const heads = walks.map((walk) => walk.next());
  for (;;) {
    let first = -1;
    let best: Entry | undefined;
    for (const [i, head] of heads.entries()) {
      if (head.done !== true && (best === undefined || comesFirst(head.value.key, best.key))) {
        first = i;
        best = head.value;
      }
    }
    const walk = walks[first];
    if (best === undefined || walk === undefined) return;
    yield best;
    heads[first] = walk.next();
  }
}
