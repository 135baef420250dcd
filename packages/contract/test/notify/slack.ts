import { once } from "node:events";
import { type WebSocket, WebSocketServer } from "ws";
import { httpStandIn, type StandIn } from "./stand-ins.ts";

export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  text: string;
  blocks: readonly Readonly<Record<string, unknown>>[];
}

export interface Slack extends StandIn {
  readonly messages: readonly SlackMessage[];
  /** Resolves when the app has acknowledged the press. */
  readonly press: (user: string, button: SlackButton) => Promise<void>;
  /** Slack asks for a new connection every few hours. */
  readonly refresh: () => Promise<void>;
  readonly isConnected: () => boolean;
}

export interface SlackButton {
  readonly action_id: string;
  readonly value?: string;
}

export function buttonsOf({ blocks }: SlackMessage): readonly SlackButton[] {
  return blocks.flatMap(({ type, elements }) => (type === "actions" ? (elements as SlackButton[]) : []));
}

/** The Web API and Socket Mode as documented: tokens by method, limits of blocks, acknowledged envelopes. */
export async function slackStandIn({ botToken = "xoxb-1", appToken = "xapp-1" } = {}): Promise<Slack> {
  const messages: SlackMessage[] = [];
  const acknowledged = new Map<string, () => void>();
  const sockets = new Set<WebSocket>();
  let last = 0;
  let tickets = 0;
  const isTooLong = (blocks: SlackMessage["blocks"]) =>
    blocks.some((block) => block.type === "section" && String(Object(block.text).text).length > 3_000);
  const isEmpty = (blocks: SlackMessage["blocks"]) =>
    blocks.some((block) => block.type === "section" && String(Object(block.text).text) === "");

  const standIn = await httpStandIn((path, body, { headers }) => {
    const method = path.slice("/api/".length);
    const wanted = method === "apps.connections.open" ? appToken : botToken;
    // Slack answers nearly everything with 200, and the body holds the result.
    if (headers.authorization !== `Bearer ${wanted}`) return { body: { ok: false, error: "invalid_auth" } };
    const blocks = (body.blocks ?? []) as SlackMessage["blocks"];
    if (isTooLong(blocks) || isEmpty(blocks)) return { body: { ok: false, error: "invalid_blocks" } };
    switch (method) {
      case "apps.connections.open":
        return { body: { ok: true, url: `${standIn.url.replace("http", "ws")}/link/?ticket=${++tickets}` } };
      case "chat.postMessage": {
        const message = {
          channel: `D${String(body.channel)}`,
          ts: `${++last}.000`,
          text: String(body.text),
          blocks,
        };
        messages.push(message);
        return { body: { ok: true, channel: message.channel, ts: message.ts } };
      }
      case "chat.update": {
        const message = messages.find(({ channel, ts }) => channel === body.channel && ts === body.ts);
        if (message === undefined) return { body: { ok: false, error: "message_not_found" } };
        Object.assign(message, { text: String(body.text), blocks });
        return { body: { ok: true, channel: message.channel, ts: message.ts } };
      }
      default:
        return { body: { ok: false, error: "unknown_method" } };
    }
  });
  const server = new WebSocketServer({ server: standIn.server });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", (data) => acknowledged.get(JSON.parse(String(data)).envelope_id)?.());
    socket.send(JSON.stringify({ type: "hello", num_connections: sockets.size }));
  });
  const connected = async (): Promise<WebSocket> => {
    const [socket] = sockets;
    if (socket !== undefined) return socket;
    await once(server, "connection");
    return connected();
  };
  return {
    ...standIn,
    url: `${standIn.url}/api/`,
    messages,
    isConnected: () => sockets.size > 0,
    async press(user, { action_id, value }) {
      const envelope_id = crypto.randomUUID();
      let isTaken = false;
      const taken = new Promise<void>((resolve) =>
        acknowledged.set(envelope_id, () => {
          isTaken = true;
          resolve();
        }),
      );
      const payload = {
        type: "block_actions",
        user: { id: user },
        actions: [{ type: "button", action_id, value }],
      };
      const envelope = { type: "interactive", envelope_id, accepts_response_payload: true, payload };
      // Slack sends an unacknowledged envelope to the next connection.
      const deliver = async () => {
        const socket = await connected();
        socket.once("close", () => isTaken || void deliver());
        socket.send(JSON.stringify(envelope));
      };
      await deliver();
      await taken;
    },
    async refresh() {
      const socket = await connected();
      const closed = once(socket, "close");
      socket.send(JSON.stringify({ type: "disconnect", reason: "refresh_requested" }));
      await closed;
    },
    async close() {
      for (const socket of sockets) socket.terminate();
      server.close();
      await standIn.close();
    },
  };
}
