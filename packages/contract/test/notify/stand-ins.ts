import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Local servers that behave as the services document it. */

export interface StandIn {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export type Handle = (
  path: string,
  body: Readonly<Record<string, unknown>>,
  request: IncomingMessage,
  raw: string,
) => Promise<Answered> | Answered;

export interface Answered {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export async function httpStandIn(handle: Handle): Promise<StandIn & { readonly server: Server }> {
  const server = createServer((request, response) => void answer(handle, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(handle: Handle, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let raw = "";
  for await (const part of request) raw += part;
  const { pathname } = new URL(request.url ?? "/", "http://local");
  const body = raw === "" ? {} : (JSON.parse(raw) as Record<string, unknown>);
  const { status = 200, headers = {}, body: answered = {} } = await handle(pathname, body, request, raw);
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(answered));
}

export interface WebhookGot {
  readonly id: string;
  readonly type: unknown;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Rejects webhooks without a signature of Standard Webhooks 1.0 with 401. */
export async function webhookStandIn(secret: string) {
  const got: WebhookGot[] = [];
  /** For the next requests; then 200. `hang` never answers. */
  const answers: (number | "hang")[] = [];
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const standIn = await httpStandIn(async (_path, body, { headers }, raw) => {
    const id = String(headers["webhook-id"]);
    const wanted = createHmac("sha256", key).update(`${id}.${headers["webhook-timestamp"]}.${raw}`).digest();
    const [version, given = ""] = String(headers["webhook-signature"]).split(",");
    const signature = Buffer.from(given, "base64");
    if (version !== "v1" || signature.length !== wanted.length || !timingSafeEqual(signature, wanted))
      return { status: 401 };
    const next = answers.shift() ?? 200;
    if (next === 200 || next === "hang") got.push({ id, type: body.type, data: Object(body.data) });
    if (next === "hang") await new Promise(() => {});
    return { status: Number(next), headers: next === 429 ? { "retry-after": "7" } : {} };
  });
  return { ...standIn, got, answers };
}

/** A message replaces the one with its `sequence_id`. */
export async function ntfyStandIn(token: string) {
  const topics = new Map<string, Map<string, Readonly<Record<string, unknown>>>>();
  const standIn = await httpStandIn((path, body, { headers }) => {
    if (headers.authorization !== `Bearer ${token}`) return { status: 403, body: { code: 40301 } };
    if (path !== "/" || typeof body.topic !== "string") return { status: 400, body: { code: 40009 } };
    const topic = topics.get(body.topic) ?? new Map();
    topics.set(body.topic, topic);
    topic.set(String(body.sequence_id), body);
    return { body: { id: "abc", event: "message" } };
  });
  return { ...standIn, shown: (topic: string) => [...(topics.get(topic)?.values() ?? [])] };
}
