import pg from "pg";

/** A statement for a connection. */
export interface Statement {
  /** Under which it is parsed and planned once for each connection. */
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Sends the statements of one connection. */
export interface Sender {
  /** Together with the other statements of the same moment. */
  readonly now: (statement: Statement) => Promise<pg.QueryResult>;
  /** With the next one, and without waiting for it. */
  readonly first: (statement: Statement) => typeof BEGUN;
  /** Drops what waits for the next one; false where nothing does. */
  readonly forget: () => boolean;
}

/**
 * Sends statements issued at the same moment in one batch and requests one answer for all, so they do not wait for each
 * other's answers. After an error PostgreSQL skips the rest of a batch, so a commit after a failed statement is not
 * carried out.
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
    // The types of `pg` leave out what it calls of a query; `pg` is pinned, and bundled with this.
    waiting.push(new pg.Query(config, callback as never) as unknown as SentQuery);
  }

  return {
    now: (statement) =>
      new Promise((resolve, reject) => {
        add(statement, (error, result) => (error ? reject(error) : resolve(result)));
        if (isPlanned) return;
        isPlanned = true;
        // After everything that goes on at once with what has just been answered.
        process.nextTick(send);
      }),
    first(statement) {
      // The statement after it ends the same way.
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

/** A query of `pg` as its connection sees it. */
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

/** Several queries as one `pg` query: events go to the first query that is not complete. */
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
    // One sync for all: each query would otherwise request its own.
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

  /** It fails all of them: those before it are undone with it, and those behind it were left out. */
  handleError(error: Error, connection: Connection): void {
    for (const [index, query] of this.#queries.entries()) {
      // A skipped statement was not parsed either.
      if (index >= this.#at && query.name !== undefined)
        delete connection.submittedNamedStatements[query.name];
      query.callback(error, undefined as never);
    }
  }

  handleReadyForQuery(connection: Connection): void {
    for (const query of this.#queries) query.handleReadyForQuery(connection);
  }
}
