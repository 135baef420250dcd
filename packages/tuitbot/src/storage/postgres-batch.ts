import pg from "pg";

export interface Statement {
  /** Parsed and planned once per connection. */
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface Sender {
  /** With others of the same moment. */
  readonly now: (statement: Statement) => Promise<pg.QueryResult>;
  /** With the next one, without waiting. */
  readonly first: (statement: Statement) => typeof BEGUN;
  /** False if nothing waits. */
  readonly forget: () => boolean;
}

/**
 * Sends statements of the same moment in one batch with one answer. After an error PostgreSQL skips the rest,
 * so a commit after a failure has no effect.
 */
export function statementBatches(client: pg.PoolClient, types: pg.CustomTypesConfig): Sender {
  let waiting: SentQuery[] = [];
  let isPlanned = false;

  function send(): void {
    isPlanned = false;
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) client.query<Batch>(new Batch(batch));
  }

  function add({ name, text, values }: Statement, callback: Callback): void {
    const config = { name, text, values: [...values], types, queryMode: "extended" };
    // Missing in the types of `pg`, which is pinned and bundled.
    waiting.push(new pg.Query(config, callback as never) as unknown as SentQuery);
  }

  return {
    now: (statement) =>
      new Promise((resolve, reject) => {
        add(statement, (error, result) => (error ? reject(error) : resolve(result)));
        if (isPlanned) return;
        isPlanned = true;
        // After everything that follows the last answer.
        process.nextTick(send);
      }),
    first(statement) {
      // The next statement ends the same way.
      add(statement, () => {});
      return BEGUN;
    },
    forget() {
      const isWaiting = waiting.length > 0 && !isPlanned;
      if (isWaiting) waiting = [];
      return isWaiting;
    },
  };
}

const BEGUN = { command: "BEGIN", rowCount: null, rows: [] };

type Callback = (error: Error | null | undefined, result: pg.QueryResult) => void;

/** As `pg`'s connection sees it. */
interface SentQuery {
  readonly name: string | undefined;
  readonly text: string;
  callback: Callback;
  prepare(connection: Connection): void;
  handleRowDescription(message: object): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}

interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  readonly submittedNamedStatements: Record<string, string>;
  sync(): void;
}

/** Events go to the first incomplete query. */
class Batch {
  readonly #queries: readonly SentQuery[];
  #at = 0;

  constructor(queries: readonly SentQuery[]) {
    this.#queries = queries;
  }

  get #current(): SentQuery | undefined {
    return this.#queries[this.#at];
  }

  get name(): string {
    return this.#current?.name ?? "";
  }

  get text(): string {
    return this.#current?.text ?? "";
  }

  submit(connection: Connection): null {
    // One sync for all.
    const shared: Connection = Object.create(connection, { sync: { value() {} } });
    connection.stream.cork();
    try {
      for (const query of this.#queries) query.prepare(shared);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return null;
  }

  handleRowDescription(message: object): void {
    this.#current?.handleRowDescription(message);
  }

  handleDataRow(message: object): void {
    this.#current?.handleDataRow(message);
  }

  handleCommandComplete(message: object, connection: Connection): void {
    this.#current?.handleCommandComplete(message, connection);
    this.#at += 1;
  }

  handleEmptyQuery(): void {
    this.#at += 1;
  }

  /** All fail: earlier ones are rolled back, later ones skipped. */
  handleError(error: Error, connection: Connection): void {
    for (const [index, query] of this.#queries.entries()) {
      // It was not parsed either.
      if (index >= this.#at && query.name !== undefined)
        delete connection.submittedNamedStatements[query.name];
      query.callback(error, undefined as never);
    }
  }

  handleReadyForQuery(connection: Connection): void {
    for (const query of this.#queries) query.handleReadyForQuery(connection);
  }
}
