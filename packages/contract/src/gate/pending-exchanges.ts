import {
  createRequestStateCodec,
  type InputRequest,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Clock } from "../clock.ts";
import { digest, type JsonObject } from "../json.ts";
import type { ClientLink } from "../mcp/internals.ts";
import { principalOf } from "../mcp/principal.ts";
import { invalid } from "../mcp/request.ts";
import type { StrictServer } from "../mcp/strict-server.ts";
import { wireResult } from "../mcp/tool-calls.ts";
import { type AskedItem, Exchange } from "./exchange.ts";
import { asProtocolError } from "./no-answer.ts";

export interface PendingExchangesOptions {
  readonly clock: Clock;
  /** Signs questions. Every gate on one store has the same, so that any of them can be told the answer. */
  readonly key: Uint8Array;
  /** Takes a person's answer about a call that waits; it came to another process than the one that had asked. */
  readonly takeAnswer: (item: AskedItem, answers: JsonObject, request: ClientRequest) => Promise<void>;
}

/** Carries out a request. `wasAsked`: the person has answered about it already. */
export type Work = (exchange: Exchange, wasAsked: boolean) => Promise<JsonObject>;

/** A client's request with the connection that it came over. */
export interface ClientRequest {
  readonly server: StrictServer;
  readonly link: ClientLink;
  readonly ctx: ServerContext;
  /** What makes it this request, without what the protocol adds. */
  readonly asked: JsonObject;
}

const MOST_OPEN = 1_000;
const TIME_TO_ANSWER_S = 600;

/** The requests that are carried out now, and those that wait for an answer to a question. */
export class PendingExchanges {
  private readonly options: PendingExchangesOptions;
  private readonly open = new Map<string, Exchange>();
  private readonly codec: RequestStateCodec<Held>;

  constructor(options: PendingExchangesOptions) {
    this.options = options;
    this.codec = createRequestStateCodec<Held>({
      key: options.key,
      ttlSeconds: TIME_TO_ANSWER_S,
      bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo ? principalOf(http.authInfo) : ""}`,
    });
  }

  verify(state: string, ctx: ServerContext): Promise<Held> {
    return this.codec.verify(state, ctx);
  }

  /** Serves a request that the server, or the gate itself, may ask questions about. */
  async serve(request: ClientRequest, work: Work): Promise<JsonObject> {
    const { ctx, asked } = request;
    const held = ctx.mcpReq.requestState<Held>();
    const call = digest([ctx.mcpReq.method, asked]);
    const exchange =
      held === undefined ? this.begin(request, work, false) : await this.goOn(request, work, held, call);
    const step = await exchange.next();
    switch (step.kind) {
      case "done":
        return step.result;
      case "failed":
        throw asProtocolError(step.error);
      case "asks": {
        const { id, round } = exchange;
        return wireResult<JsonObject>(
          inputRequired({
            // As the server has asked them.
            inputRequests: step.questions as unknown as Record<string, InputRequest>,
            requestState: await this.codec.mint({ id, round, call, item: step.item }, ctx),
          }),
        );
      }
    }
  }

  private begin({ server, link, ctx }: ClientRequest, work: Work, wasAsked: boolean): Exchange {
    if (this.open.size >= MOST_OPEN)
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        "Too many requests are open at this gate. Try again later.",
      );
    const exchange = new Exchange(server, link, ctx, this.options.clock);
    this.open.set(exchange.id, exchange);
    exchange.begin(() => work(exchange, wasAsked).finally(() => this.open.delete(exchange.id)));
    return exchange;
  }

  /**
   * Hands the answers to the exchange that has asked. Where that one is gone with its process, the answer to the gate's own
   * question still counts, since what it is about is stored; what the server has asked is gone with it.
   */
  private async goOn(request: ClientRequest, work: Work, held: Held, call: string): Promise<Exchange> {
    const { ctx } = request;
    const found = this.open.get(held.id);
    // Answers come as JSON.
    const answers = (ctx.mcpReq.inputResponses ?? {}) as unknown as JsonObject;
    if (held.call === call) {
      if (found?.round === held.round && found.resume(ctx, answers)) return found;
      if (found === undefined && held.item !== undefined) {
        await this.options.takeAnswer(held.item, answers, request);
        return this.begin(request, work, true);
      }
    }
    throw invalid("This request is not waiting for an answer any more. Make it again without one.");
  }
}

/** What is signed into a question: which request waits, that it is this one, and what a person decides by it. */
interface Held {
  readonly id: string;
  readonly round: number;
  readonly call: string;
  readonly item?: AskedItem | undefined;
}
