import type { JSONRPCNotification } from "@modelcontextprotocol/server";
import type { Listener } from "../internals.ts";
import { clientIsGone } from "../request.ts";
import type { AcceptedShape, AcceptedShapes, SimpleCall } from "./accepted-shapes.ts";
import { type EarlyParts, earlyConnection } from "./early-parts.ts";
import { type HandshakeAnswer, HandshakeAnswers } from "./handshake.ts";

type Notify = (notification: JSONRPCNotification) => Promise<void>;

/** A client that has sent nothing yet for which the SDK is needed. */
export class EarlyClient {
  private readonly parts: EarlyParts;
  private readonly answers: HandshakeAnswers;
  private readonly notify: Notify;
  private readonly listener: Listener;

  constructor(parts: EarlyParts, notify: Notify) {
    this.parts = parts;
    this.answers = new HandshakeAnswers(parts.handshake);
    this.notify = notify;
    this.listener = { toolsChanged: () => this.toolsChanged(), resourceUpdated: noSubscriber };
    if (parts.handshake().toolsChange) parts.updates.add(this.listener);
  }

  answer(message: unknown): HandshakeAnswer {
    const answer = this.answers.answer(message);
    if (answer.kind === "answered" && answer.isList) this.parts.onListed();
    return answer;
  }

  /** Accepts a call if it is as valid as the handshake; undefined if the SDK has to decide. */
  accept(call: SimpleCall, shapes: AcceptedShapes): AcceptedShape | undefined {
    const client = this.answers.clientOf(call.meta);
    if (client === undefined) return undefined;
    const connection = earlyConnection(this.parts, client, "stdio", (params) =>
      this.notify({ jsonrpc: "2.0", method: "notifications/message", params: { ...params } }),
    );
    return shapes.accept(call.shape, connection, client.envelope);
  }

  /** Ends this part of the conversation. Returns the messages that bring the SDK's server into the same state. */
  end(): readonly object[] {
    this.parts.updates.delete(this.listener);
    return this.answers.conversation();
  }

  /** Clients from 2026 on are notified only on a stream that they open, which needs the SDK. */
  private toolsChanged(): void {
    if (!this.answers.isLegacy) return;
    void this.notify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }).catch(clientIsGone);
  }
}

/** Subscriptions to resources need the SDK. */
function noSubscriber(): void {}
