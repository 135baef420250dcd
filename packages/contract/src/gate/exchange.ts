import { randomUUID } from "node:crypto";
import { ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import type { AskKind } from "../ask.ts";
import type { Clock } from "../clock.ts";
import type { Json, JsonObject } from "../json.ts";
import type { ClientLink } from "../mcp/internals.ts";
import { capable, clientIsGone } from "../mcp/request.ts";
import type { StrictServer } from "../mcp/strict-server.ts";
import type { Upstream, UpstreamInfo } from "./upstream.ts";

/** Questions by name, each a method of the protocol with its params. */
export type Questions = Readonly<Record<string, object>>;

/** The next step of an exchange: questions to the client, or its end. */
export type ExchangeStep =
  | { readonly kind: "asks"; readonly questions: Questions; readonly state: Json | undefined }
  | { readonly kind: "done"; readonly result: JsonObject }
  | { readonly kind: "failed"; readonly error: unknown };

const ANSWER_TIMEOUT_MS = 600_000;

/**
 * One request of a client until it is answered. A client of 2026-07-28 sends several requests for it: each question ends
 * one, and the answer begins the next.
 */
export class Exchange {
  readonly id = randomUUID();
  /** The number of rounds of questions. Only answers to the last one count. */
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
  private notified: Promise<void> = Promise.resolve();

  constructor(server: StrictServer, link: ClientLink, ctx: ServerContext, clock: Clock) {
    this.server = server;
    this.link = link;
    this.ctx = ctx;
    this.clock = clock;
  }

  /** Aborted when the client has cancelled or disconnected. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** The request that the client is waiting for. */
  get context(): ServerContext {
    return this.ctx;
  }

  begin(work: () => Promise<JsonObject>): void {
    work().then(
      (result) => this.step({ kind: "done", result }),
      (error) => this.step({ kind: "failed", error }),
    );
  }

  /** Continues with the answers of a further request. Returns false if no question is open. */
  resume(ctx: ServerContext, answers: JsonObject): boolean {
    const { question } = this;
    if (question === undefined) return false;
    this.ctx = ctx;
    this.question = undefined;
    question.answer(answers);
    return true;
  }

  /** Waits for the next step. A client that disconnects meanwhile ends the exchange. */
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

  /** Sends a notification to the client, after all earlier ones. */
  notify(send: (context: ServerContext["mcpReq"]) => Promise<void>): void {
    this.notified = this.notified.then(() => send(this.ctx.mcpReq)).catch(clientIsGone);
  }

  /** Resolves when all notifications are sent: an answer must not overtake them. */
  allNotified(): Promise<void> {
    return this.notified;
  }

  /** Returns true if the client supports questions of this kind over this connection. */
  can(kind: AskKind): boolean {
    if (this.link.isStateless === true || this.signal.aborted) return false;
    return capable({ server: this.server, era: this.link.era }, this.ctx, kind);
  }

  /**
   * Asks through the client, one round of questions after the other. `state` belongs to a question of the gate itself: it is
   * signed, and comes back with the answers even if another process gets them.
   */
  ask(questions: Questions, state?: Json): Promise<JsonObject> {
    for (const question of Object.values(questions)) {
      const { method, params = {} } = question as { readonly method?: string; readonly params?: JsonObject };
      const kind = kindOf(method, params);
      if (kind === undefined || !this.can(kind))
        return Promise.reject(
          new ProtocolError(
            ProtocolErrorCode.InvalidRequest,
            `The client of this gate cannot be asked ${method} over this connection.`,
          ),
        );
    }
    const asked = this.queue.then(() => this.askNow(questions, state));
    this.queue = asked.catch(() => {});
    return asked;
  }

  private askNow(questions: Questions, state: Json | undefined): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(ANSWER_TIMEOUT_MS, () =>
        refuse(new Error("The question was not answered in time.")),
      );
      const gone = () => refuse(new Error("The client has disconnected."));
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
      this.step({ kind: "asks", questions, state });
    });
  }

  private step(step: ExchangeStep): void {
    this.steps.push(step);
    this.wake?.();
  }
}

function kindOf(method: string | undefined, params: JsonObject): AskKind | undefined {
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

/**
 * Sends a request to the upstream server. Questions that the server asks meanwhile go to the client of the exchange; without
 * an exchange they fail.
 */
export type Forward = (
  method: string,
  params: JsonObject | ((server: Pick<UpstreamInfo, "isModern">) => JsonObject),
  exchange: Exchange | undefined,
) => Promise<JsonObject>;

/** The name of the single question that a server from before 2026 asks at a time. */
const QUESTION = "question";

export function forwardTo(upstream: Upstream, atServer: Set<Exchange>, timeoutMs: number): Forward {
  return async (method, params, exchange) => {
    if (exchange !== undefined) atServer.add(exchange);
    try {
      const given = typeof params === "function" ? params(await upstream.info()) : params;
      return await inRounds(upstream, timeoutMs, method, given, exchange);
    } finally {
      if (exchange !== undefined) atServer.delete(exchange);
    }
  };
}

/** Answers a question that a server from before 2026 asks in a separate request. */
export async function askThrough(
  atServer: ReadonlySet<Exchange>,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  const answers = await onlyOne(atServer).ask({ [QUESTION]: { method, params } });
  // The client answers each question under its name.
  return answers[QUESTION] as JsonObject;
}

async function inRounds(
  upstream: Upstream,
  timeoutMs: number,
  method: string,
  params: JsonObject,
  exchange: Exchange | undefined,
): Promise<JsonObject> {
  const token = exchange?.context.mcpReq._meta?.progressToken;
  const report = (made: JsonObject) =>
    exchange?.notify(({ notify }) =>
      notify({ method: "notifications/progress", params: { ...made, progressToken: token } }),
    );
  let sent = params;
  for (;;) {
    const result = await upstream.request(method, sent, {
      signal: exchange?.signal ?? new AbortController().signal,
      timeoutMs,
      progress: token === undefined ? undefined : report,
    });
    await exchange?.allNotified();
    if (result.resultType !== "input_required") return result;
    if (exchange === undefined)
      throw new Error("The server asked a question, and the caller who could answer it has gone.");
    // An input_required result has its requests by name.
    const questions = (result.inputRequests ?? {}) as Readonly<Record<string, JsonObject>>;
    const answers = Object.keys(questions).length === 0 ? {} : await exchange.ask(questions);
    sent = {
      ...params,
      inputResponses: answers,
      ...(result.requestState !== undefined && { requestState: result.requestState }),
    };
  }
}

/** A server from before 2026 does not name the call that a question belongs to. */
function onlyOne(atServer: ReadonlySet<Exchange>): Exchange {
  const [exchange, another] = atServer;
  if (exchange === undefined || another !== undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      exchange === undefined
        ? "No call is running at this gate that the question could belong to."
        : "Several calls are running at this gate, and the question does not name the one it belongs to.",
    );
  return exchange;
}
