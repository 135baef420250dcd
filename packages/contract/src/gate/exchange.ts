import { randomUUID } from "node:crypto";
import { ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import type { Clock } from "../clock.ts";
import type { JsonObject } from "../json.ts";
import { capable } from "../mcp/asking.ts";
import type { ClientLink } from "../mcp/internals.ts";
import { clientIsGone } from "../mcp/request.ts";
import type { StrictServer } from "../mcp/strict-server.ts";

/** Questions by their names, each a method of the protocol with its params. */
export type Questions = Readonly<Record<string, JsonObject>>;

/** What the gate's own question is about: a call that waits for a person, and the digest of what they see. */
export interface AskedItem {
  readonly id: number;
  readonly digest: string;
}

/** What an exchange needs next, or what it came to. */
export type ExchangeStep =
  | { readonly kind: "asks"; readonly questions: Questions; readonly item: AskedItem | undefined }
  | { readonly kind: "done"; readonly result: JsonObject }
  | { readonly kind: "failed"; readonly error: unknown };

/** For so long a question waits for an answer. */
const TIME_TO_ANSWER_MS = 600_000;

/**
 * One request of a client while it is carried out. It lives for as long as the server works on it, while the client of
 * 2026-07-28 sees several requests: each question ends one, and its answer begins the next.
 */
export class Exchange {
  readonly id = randomUUID();
  /** How many rounds of questions there were: an answer counts for the last one alone. */
  round = 0;
  private readonly link: ClientLink;
  private readonly server: StrictServer;
  private readonly clock: Clock;
  private readonly ending = new AbortController();
  private ctx: ServerContext;
  private steps: ExchangeStep[] = [];
  private wake: (() => void) | undefined;
  private question:
    | { readonly answer: (answers: JsonObject) => void; readonly refuse: (error: Error) => void }
    | undefined;
  private queue: Promise<unknown> = Promise.resolve();
  private told: Promise<void> = Promise.resolve();

  constructor(server: StrictServer, link: ClientLink, ctx: ServerContext, clock: Clock) {
    this.server = server;
    this.link = link;
    this.ctx = ctx;
    this.clock = clock;
  }

  /** Aborted when the client has cancelled or is gone. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** The request that the client waits on now. */
  get context(): ServerContext {
    return this.ctx;
  }

  begin(work: () => Promise<JsonObject>): void {
    work().then(
      (result) => this.step({ kind: "done", result }),
      (error) => this.step({ kind: "failed", error }),
    );
  }

  /** Goes on with the answers that a further request has brought. False where nothing was asked. */
  resume(ctx: ServerContext, answers: JsonObject): boolean {
    const { question } = this;
    if (question === undefined) return false;
    this.ctx = ctx;
    this.question = undefined;
    question.answer(answers);
    return true;
  }

  /** What comes next. A client that goes away while it waits ends the exchange. */
  async next(): Promise<ExchangeStep> {
    const { signal } = this.ctx.mcpReq;
    const abort = () => this.ending.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    try {
      for (;;) {
        const step = this.steps.shift();
        if (step !== undefined) return step;
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Tells the client something, after all that it was told before. */
  tell(notify: (context: ServerContext["mcpReq"]) => Promise<void>): void {
    this.told = this.told.then(() => notify(this.ctx.mcpReq)).catch(clientIsGone);
  }

  /** Resolves when the client was told everything: an answer must not overtake it. */
  allTold(): Promise<void> {
    return this.told;
  }

  /** Whether this client can be asked so. */
  can(method: string, params: JsonObject = {}): boolean {
    if (this.link.isStateless === true || this.signal.aborted) return false;
    const kind = kindOf(method, params);
    return kind !== undefined && capable({ server: this.server, era: this.link.era }, this.ctx, kind);
  }

  /** Asks through the client, one round of questions after the other; about `item`, where the gate itself asks. */
  ask(questions: Questions, item?: AskedItem): Promise<JsonObject> {
    const missing = Object.values(questions).find(
      // Questions have a method and params, as the protocol has them.
      ({ method, params }) => !this.can(String(method), (params ?? {}) as JsonObject),
    );
    if (missing !== undefined)
      return Promise.reject(
        new ProtocolError(
          ProtocolErrorCode.InvalidRequest,
          `The client behind this gate cannot be asked ${String(missing.method)} over this connection.`,
        ),
      );
    const asked = this.queue.then(() => this.askNow(questions, item));
    this.queue = asked.catch(() => {});
    return asked;
  }

  private askNow(questions: Questions, item: AskedItem | undefined): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(TIME_TO_ANSWER_MS, () =>
        refuse(new Error("Nobody has answered in time.")),
      );
      const gone = () => refuse(new Error("The client has gone."));
      const refuse = (error: Error) => {
        this.question = undefined;
        end();
        reject(error);
      };
      const end = () => {
        cancel();
        this.signal.removeEventListener("abort", gone);
      };
      this.signal.addEventListener("abort", gone, { once: true });
      this.question = {
        answer: (answers) => {
          end();
          resolve(answers);
        },
        refuse,
      };
      this.round += 1;
      this.step({ kind: "asks", questions, item });
    });
  }

  private step(step: ExchangeStep): void {
    this.steps.push(step);
    this.wake?.();
  }
}

function kindOf(method: string, params: JsonObject): "form" | "url" | "sample" | "roots" | undefined {
  switch (method) {
    case "elicitation/create":
      return params.mode === "url" ? "url" : "form";
    case "sampling/createMessage":
      return "sample";
    case "roots/list":
      return "roots";
    default:
      return undefined;
  }
}
