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
import { digest, type Json, type JsonObject } from "../json.ts";
import type { ClientLink } from "../mcp/internals.ts";
import { invalid } from "../mcp/questions.ts";
import { principalOf } from "../mcp/request.ts";
import type { StrictServer } from "../mcp/strict-server.ts";
import { wireResult } from "../mcp/tool-calls.ts";
import { Exchange } from "./exchange.ts";
import { asProtocolError } from "./upstream-failure.ts";

export interface PendingExchangesOptions {
  readonly clock: Clock;
  /** Signs questions. All gates of one store share it and accept each other's answers. */
  readonly key: Uint8Array;
}

/** Answers to a question of the gate itself, with the state that was signed into the question. */
export interface Answers {
  readonly responses: JsonObject;
  readonly state: Json;
}

/** Carries out a request. `answers` are given if the process that asked has ended meanwhile. */
export type Work = (exchange: Exchange, answers: Answers | undefined) => Promise<JsonObject>;

/** A client's request and its connection. */
export interface ClientRequest {
  readonly server: StrictServer;
  readonly link: ClientLink;
  readonly ctx: ServerContext;
  /** Its own params, without those that the protocol adds. */
  readonly asked: JsonObject;
}

const MAX_PENDING = 1_000;
const ANSWER_TIMEOUT_S = 600;

/** Requests that are running or waiting for an answer to a question. */
export class PendingExchanges {
  private readonly options: PendingExchangesOptions;
  private readonly pending = new Map<string, Exchange>();
  private readonly codec: RequestStateCodec<Held>;

  constructor(options: PendingExchangesOptions) {
    this.options = options;
    this.codec = createRequestStateCodec<Held>({
      key: options.key,
      ttlSeconds: ANSWER_TIMEOUT_S,
      bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo ? principalOf(http.authInfo) : ""}`,
    });
  }

  verify(state: string, ctx: ServerContext): Promise<Held> {
    return this.codec.verify(state, ctx);
  }

  /** Serves a request during which the upstream server or the gate may ask the client questions. */
  async serve(request: ClientRequest, work: Work): Promise<JsonObject> {
    const { ctx, asked } = request;
    const held = ctx.mcpReq.requestState<Held>();
    const call = () => digest([ctx.mcpReq.method, asked]);
    const exchange =
      held === undefined ? this.begin(request, work, undefined) : this.resume(request, work, held, call());
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
            // Questions have the wire format already.
            inputRequests: step.questions as Record<string, InputRequest>,
            requestState: await this.codec.mint({ id, round, call: call(), state: step.state }, ctx),
          }),
        );
      }
    }
  }

  private begin({ server, link, ctx }: ClientRequest, work: Work, answers: Answers | undefined): Exchange {
    if (this.pending.size >= MAX_PENDING)
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        "Too many requests are pending at this gate. Try again later.",
      );
    const exchange = new Exchange(server, link, ctx, this.options.clock);
    this.pending.set(exchange.id, exchange);
    exchange.begin(() => work(exchange, answers).finally(() => this.pending.delete(exchange.id)));
    return exchange;
  }

  /**
   * Passes the answers to the exchange that asked. If its process has ended, answers to a question of the gate still count,
   * since the waiting call is stored. A question of the upstream server ended with the process.
   */
  private resume(
    request: ClientRequest,
    work: Work,
    { id, round, call, state }: Held,
    same: string,
  ): Exchange {
    const { ctx } = request;
    const found = this.pending.get(id);
    // Answers came as JSON.
    const responses = (ctx.mcpReq.inputResponses ?? {}) as unknown as JsonObject;
    if (call === same) {
      if (found?.round === round && found.resume(ctx, responses)) return found;
      if (found === undefined && state !== undefined) return this.begin(request, work, { responses, state });
    }
    throw invalid("This request is not waiting for an answer any more. Make it again without one.");
  }
}

/** The data signed into a question: the waiting exchange, the digest of its request, and the state of the gate's question. */
interface Held {
  readonly id: string;
  readonly round: number;
  readonly call: string;
  readonly state?: Json | undefined;
}
