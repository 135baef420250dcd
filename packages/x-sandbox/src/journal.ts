/** One request as the sandbox saw it. Tokens and other secrets are never written down. */
export interface JournalEntry {
  readonly requestId: string;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Operation id; undefined for a path that X does not have. */
  readonly operation: string | undefined;
  readonly caller: "nobody" | "app" | "user";
  /** Username, for calls on behalf of a user. */
  readonly user: string | undefined;
  /** JSON body of the request. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Status that was sent; undefined when a fault maxEntries it from being sent. */
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

  /** Requests for one operation. */
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
