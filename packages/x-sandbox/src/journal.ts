/** A recorded request. Tokens and other secrets are not recorded. */
export interface JournalEntry {
  readonly requestId: string;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Operation id; undefined for an unknown path. */
  readonly operation: string | undefined;
  readonly caller: "nobody" | "app" | "user";
  /** The username if the call was made for a user. */
  readonly user: string | undefined;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** The status sent; undefined if a fault kept it from being sent. */
  readonly status: number | undefined;
  readonly fault: string | undefined;
  readonly usd: number;
}

/** The latest requests, oldest first. */
export class Journal {
  #entries: JournalEntry[] = [];

  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  of(operation: string): readonly JournalEntry[] {
    return this.#entries.filter((entry) => entry.operation === operation);
  }

  write(entry: JournalEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > 2 * maxEntries) this.#entries = this.#entries.slice(-maxEntries);
  }

  clear(): void {
    this.#entries = [];
  }
}

const maxEntries = 10_000;
