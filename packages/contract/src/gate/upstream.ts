import {
  Client,
  type ClientCapabilities,
  type McpSubscription,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type ServerCapabilities,
  StreamableHTTPClientTransport,
  type Tool,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import type { JsonObject } from "../json.ts";

/** Where the server is: a program to start, or an address. */
export type UpstreamPlace =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly token?: string | undefined };

/** What the server says by itself. */
export interface UpstreamEvents {
  readonly notified: (method: string, params: JsonObject) => void;
  /** Asks the person or the client; rejects where nobody can be asked. */
  readonly asked: (method: string, params: JsonObject) => Promise<JsonObject>;
  readonly lost: () => void;
}

/** What the server has said of itself. */
export interface UpstreamInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  readonly isModern: boolean;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly progress?: ((progress: JsonObject) => void) | undefined;
}

const anyResult = z.looseObject({});
const MOST_PAGES = 100;
const LIST_MS = 60_000;
/** What a server may ask, and the capability that says so. */
const ASKED = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
} as const;

/** The server behind the gate, whichever era of the protocol it speaks. It is started again when it is needed and gone. */
export class Upstream {
  private readonly place: UpstreamPlace;
  private readonly capabilities: ClientCapabilities;
  private readonly events: UpstreamEvents;
  private connecting: Promise<Client> | undefined;
  private readonly subscribed = new Set<string>();
  private listed: ReadonlyMap<string, Tool> = new Map();
  private subscription: McpSubscription | undefined;
  private isClosed = false;
  /** Remembered here, since the transport forgets it as soon as it begins to close. */
  private pid: number | undefined;
  /** A server that goes on without its input would outlive a gate that has to end now. */
  private readonly endChild = () => {
    try {
      if (this.pid !== undefined) process.kill(this.pid, "SIGTERM");
    } catch {
      // It has ended.
    }
  };

  constructor(place: UpstreamPlace, capabilities: ClientCapabilities, events: UpstreamEvents) {
    this.place = place;
    this.capabilities = capabilities;
    this.events = events;
    process.on("exit", this.endChild);
  }

  async info(): Promise<UpstreamInfo> {
    const client = await this.client();
    return {
      name: client.getServerVersion()?.name ?? "server",
      version: client.getServerVersion()?.version ?? "0",
      instructions: client.getInstructions(),
      capabilities: client.getServerCapabilities() ?? {},
      isModern: client.getProtocolEra() === "modern",
    };
  }

  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const client = await this.client();
    try {
      return await this.send(client, method, params, options);
    } catch (error) {
      if (!isSessionLost(client, error)) throw error;
      // A server that was started again knows no session of before. It has refused, so nothing was done.
      await client.close().catch(() => {});
      return this.send(await this.client(), method, params, options);
    }
  }

  private async send(
    client: Client,
    method: string,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<JsonObject> {
    const { signal, timeoutMs, progress } = options;
    const sending = {
      signal,
      timeout: timeoutMs,
      resetTimeoutOnProgress: true,
      allowInputRequired: true,
      ...(progress && { onprogress: (made: object) => progress({ ...made }) }),
    };
    const tool = method === "tools/call" ? this.listed.get(String(params.name)) : undefined;
    const result =
      tool === undefined
        ? await client.request({ method, params: { ...params } }, anyResult, sending)
        : await client.callTool(
            { ...params, name: String(params.name) },
            // Given so, arguments are repeated in headers as the tool wants it, and its answer is not judged here.
            { ...sending, toolDefinition: tool },
          );
    // It came over the wire as JSON.
    return result as JsonObject;
  }

  /** All tools, of all pages. */
  async tools(signal: AbortSignal): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = [];
    let cursor: JsonObject["cursor"];
    for (let page = 0; page < MOST_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const listed = await this.request("tools/list", params, { signal, timeoutMs: LIST_MS });
      // What tools/list answers is a list of objects.
      found.push(...((listed.tools ?? []) as readonly JsonObject[]));
      cursor = listed.nextCursor;
      if (cursor === undefined) break;
    }
    this.listed = new Map(
      found.map(({ name, inputSchema }) => [
        String(name),
        // A tool has a schema, and of it only what it says of headers is read.
        { name: String(name), inputSchema: inputSchema as Tool["inputSchema"] },
      ]),
    );
    return found;
  }

  /** Asks to be told when a resource changes, in the way of the server's era. */
  async subscribe(uri: string): Promise<void> {
    const client = await this.client();
    if (client.getProtocolEra() !== "modern") return void (await client.subscribeResource({ uri }));
    this.subscribed.add(uri);
    await this.listen(client);
  }

  async unsubscribe(uri: string): Promise<void> {
    const client = await this.client();
    if (client.getProtocolEra() !== "modern") return void (await client.unsubscribeResource({ uri }));
    this.subscribed.delete(uri);
    await this.listen(client);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const client = await this.connecting?.catch(() => undefined);
    await client?.close();
    process.off("exit", this.endChild);
  }

  private client(): Promise<Client> {
    if (this.isClosed) return Promise.reject(new Error("The gate is closing."));
    this.connecting ??= this.connect().catch((error) => {
      this.connecting = undefined;
      throw new UpstreamUnreachable(this.place, error as Error);
    });
    return this.connecting;
  }

  private async connect(): Promise<Client> {
    const client = new Client(
      { name: "toolpact-gate", version: packageJson.version },
      { capabilities: this.capabilities, versionNegotiation: { mode: "auto" } },
    );
    let isGone = false;
    client.onclose = () => {
      if (isGone) return;
      isGone = true;
      this.connecting = undefined;
      this.subscription = undefined;
      if (this.isClosed) return;
      this.pid = undefined;
      this.events.lost();
    };
    client.onerror = () => {};
    client.fallbackNotificationHandler = async ({ method, params }) =>
      // It came over the wire as JSON.
      this.events.notified(method, (params ?? {}) as JsonObject);
    // The keys of an object literal.
    for (const method of Object.keys(ASKED) as (keyof typeof ASKED)[]) {
      if (this.capabilities[ASKED[method]] === undefined) continue;
      client.setRequestHandler(
        method,
        async ({ params }) =>
          // The client has answered in the form that the method has.
          (await this.events.asked(method, (params ?? {}) as JsonObject)) as never,
      );
    }
    const transport = this.transport();
    await client.connect(transport);
    this.pid = "pid" in transport ? (transport.pid ?? undefined) : undefined;
    if (client.getProtocolEra() === "modern") await this.listen(client).catch(() => {});
    return client;
  }

  private async listen(client: Client): Promise<void> {
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
    const former = this.subscription;
    this.subscription = await client.listen({
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
      ...(this.subscribed.size > 0 && { resourceSubscriptions: [...this.subscribed] }),
    });
    await former?.close();
  }

  private transport() {
    const { place } = this;
    if ("url" in place) {
      const headers: Record<string, string> =
        place.token === undefined ? {} : { authorization: `Bearer ${place.token}` };
      return new HttpTransport(new URL(place.url), { requestInit: { headers } });
    }
    const env = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    return new StdioClientTransport({
      command: place.command,
      args: [...place.args],
      env,
      stderr: "inherit",
    });
  }
}

/**
 * The SDK waits for the answer of a stream that has ended until its time has run out; here the request fails at once. An
 * answer that came before it ended counts, since the request is no longer waiting.
 */
class HttpTransport extends StreamableHTTPClientTransport {
  override send(
    message: Parameters<StreamableHTTPClientTransport["send"]>[0],
    options: Parameters<StreamableHTTPClientTransport["send"]>[1] = {},
  ): Promise<void> {
    if (Array.isArray(message) || !("method" in message && "id" in message) || options.onRequestStreamEnd)
      return super.send(message, options);
    const { id } = message;
    return super.send(message, {
      ...options,
      onRequestStreamEnd: () =>
        this.onmessage?.({ jsonrpc: "2.0", id, error: { code: STREAM_ENDED, message: STREAM_ENDED_TEXT } }),
    });
  }
}

const STREAM_ENDED = -32_097;
const STREAM_ENDED_TEXT = "The connection ended before the answer came.";

/** Servers of before 2026 keep sessions, and refuse requests of one that they do not know: with 404, and some with 400. */
function isSessionLost({ transport }: Client, error: unknown): boolean {
  return (
    transport?.sessionId !== undefined &&
    error instanceof SdkHttpError &&
    (error.status === 404 || error.status === 400)
  );
}

/** No connection could be made, so nothing was sent. */
class UpstreamUnreachable extends Error {
  constructor(place: UpstreamPlace, cause: Error) {
    super(`The server cannot be reached: ${whyUnreachable(place, cause)}`, { cause });
  }
}

function whyUnreachable(place: UpstreamPlace, error: Error): string {
  const causes: Error[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) causes.push(at);
  if ("command" in place) {
    const { command } = place;
    if (causes.some((cause) => "code" in cause && cause.code === "ENOENT"))
      return `there is no program ${JSON.stringify(command)}.`;
    if (causes.some((cause) => cause instanceof SdkError && cause.code === SdkErrorCode.ConnectionClosed))
      return `${JSON.stringify(command)} ended, or closed its output, before it answered. Run it by itself to see why.`;
  }
  const refused = causes.find((cause) => cause instanceof SdkHttpError);
  if (refused?.status === 401 || refused?.status === 403)
    return `it refuses this gate with ${refused.status}. Give its token with --token-env NAME.`;
  // The last says what happened; those before it where.
  return causes.at(-1)?.message || error.message;
}

/**
 * What a request that failed has come to: the server has answered with an error, nothing can have happened, or
 * nobody knows.
 */
export function failureKind(error: unknown): "answered" | "not_sent" | "lost" {
  if (error instanceof ProtocolError)
    return error.code === STREAM_ENDED && error.message.includes(STREAM_ENDED_TEXT) ? "lost" : "answered";
  if (error instanceof UpstreamUnreachable) return "not_sent";
  if (error instanceof SdkHttpError) {
    const { status } = error;
    return status !== undefined && status >= 400 && status < 500 && status !== 408 ? "not_sent" : "lost";
  }
  if (error instanceof SdkError && NEVER_SENT.has(error.code)) return "not_sent";
  return isRefused(error) ? "not_sent" : "lost";
}

const NEVER_SENT: ReadonlySet<string> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.NotInitialized,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
]);

/** Nobody listens at the address. */
function isRefused(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if ("code" in at && (at.code === "ECONNREFUSED" || at.code === "ENOTFOUND")) return true;
  return false;
}
