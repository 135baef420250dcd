import {
  Client,
  type ClientCapabilities,
  type McpSubscription,
  type ServerCapabilities,
  type Tool,
} from "@modelcontextprotocol/client";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { isTooDeep, MAX_DEPTH } from "@toolpact/outcome";
import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { type Clock, systemClock } from "../clock.ts";
import type { JsonObject } from "../json.ts";
import { isSessionLost, UpstreamUnreachable } from "./upstream-failure.ts";
import { transportTo, type UpstreamPlace } from "./upstream-place.ts";

/** Messages that the server sends by itself. */
export interface UpstreamEvents {
  /** Called after each connection, before the first request. */
  readonly connected?: (info: UpstreamInfo) => void;
  /** True if the server is known to be from before 2026. Unless it is, a second process is started to find out. */
  readonly isLegacy?: () => boolean;
  readonly notified: (method: string, params: JsonObject) => void;
  /** Asks the client; rejects if it cannot be asked. */
  readonly asked: (method: string, params: JsonObject) => Promise<JsonObject>;
  readonly lost: () => void;
  /** Gets the error output of a program, which goes to that of the gate unless this is given. */
  readonly printed?: (text: string) => void;
}

/** The server's description of itself. */
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
const MAX_PAGES = 100;
const LIST_MS = 60_000;
/** The wait before the third attempt to connect; it doubles with each further one. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** Requests that a server may send, and the client capability of each. */
const ASKED = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
} as const;

/** The connection to the upstream server, in either era of the protocol. It is opened again when it is needed. */
export class Upstream {
  private readonly place: UpstreamPlace;
  private readonly capabilities: ClientCapabilities;
  private readonly events: UpstreamEvents;
  private readonly clock: Clock;
  private connecting: Promise<Client> | undefined;
  private readonly subscribed = new Set<string>();
  private listed: ReadonlyMap<string, Tool> = new Map();
  private subscription: McpSubscription | undefined;
  private isClosed = false;
  /** Connections in a row that failed, or ended before they answered a request. */
  private failures = 0;
  private retryAt = 0;
  /** Kept here, since the transport drops it as soon as it begins to close. */
  private pid: number | undefined;
  private starting: { readonly pid?: number | null } | undefined;
  /** Ends a server that would keep running after its input has closed. */
  private readonly endChild = () => {
    try {
      const pid = this.pid ?? this.starting?.pid;
      if (pid) process.kill(pid, "SIGTERM");
    } catch {
      // It has ended.
    }
  };

  constructor(
    place: UpstreamPlace,
    capabilities: ClientCapabilities,
    events: UpstreamEvents,
    clock: Clock = systemClock,
  ) {
    this.clock = clock;
    this.place = place;
    this.capabilities = capabilities;
    this.events = events;
    process.on("exit", this.endChild);
  }

  async info(): Promise<UpstreamInfo> {
    return infoOf(await this.client());
  }

  /** True while it is connected, or about to be. */
  get isStarted(): boolean {
    return this.connecting !== undefined;
  }

  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const client = await this.client();
    try {
      const result = await this.send(client, method, params, options);
      this.failures = 0;
      return result;
    } catch (error) {
      if (!isSessionLost(client, error)) throw error;
      // A restarted server does not know the session. It rejected the request, so nothing was done.
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
            // With the definition, the SDK mirrors arguments in headers, and does not validate the result.
            { ...sending, toolDefinition: tool },
          );
    // It came over the wire as JSON.
    return isTooDeep(result) ? withoutNesting(method, result as JsonObject) : (result as JsonObject);
  }

  /** Lists the tools of all pages. */
  async tools(signal: AbortSignal): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = [];
    let cursor: JsonObject["cursor"];
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const listed = await this.request("tools/list", params, { signal, timeoutMs: LIST_MS });
      // The result of tools/list has a list of objects.
      found.push(...((listed.tools ?? []) as readonly JsonObject[]));
      cursor = listed.nextCursor;
      if (cursor === undefined) break;
    }
    this.listed = new Map(
      found.map(({ name, inputSchema }) => [
        String(name),
        // Only the header annotations of the schema are read.
        { name: String(name), inputSchema: inputSchema as Tool["inputSchema"] },
      ]),
    );
    return found;
  }

  /** Subscribes to changes of a resource, as the server's era does it. */
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
    this.connecting ??= this.connectInTime().catch((error) => {
      this.connecting = undefined;
      throw new UpstreamUnreachable(this.place, error as Error);
    });
    return this.connecting;
  }

  /** A server that keeps failing is not started again for each request. */
  private async connectInTime(): Promise<Client> {
    const waitMs = this.retryAt - this.clock.now();
    if (waitMs > 0)
      throw new Error(
        `it failed ${this.failures} times in a row, and is tried again in ${Math.ceil(waitMs / 1_000)} s.`,
      );
    try {
      return await this.connect();
    } catch (error) {
      this.countFailure();
      throw error;
    }
  }

  private countFailure(): void {
    this.failures += 1;
    // The next request after a single failure tries at once.
    if (this.failures > 1)
      this.retryAt = this.clock.now() + Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.failures - 2));
  }

  private async connect(): Promise<Client> {
    const client = new Client(
      { name: "toolpact-gate", version: packageJson.version },
      {
        capabilities: this.capabilities,
        versionNegotiation: { mode: this.events.isLegacy?.() === true ? "legacy" : "auto" },
      },
    );
    let isGone = false;
    let isConnected = false;
    client.onclose = () => {
      if (isGone) return;
      isGone = true;
      this.connecting = undefined;
      this.subscription = undefined;
      if (this.isClosed) return;
      this.pid = undefined;
      if (isConnected) {
        this.countFailure();
        this.events.lost();
      }
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
          // The client answered with the result type of the method.
          (await this.events.asked(method, (params ?? {}) as JsonObject)) as never,
      );
    }
    const transport = transportTo(this.place, this.events.printed);
    this.starting = "pid" in transport ? transport : {};
    await client.connect(transport);
    this.pid = this.starting.pid ?? undefined;
    isConnected = true;
    if (client.getProtocolEra() === "modern") await this.listen(client).catch(() => {});
    this.events.connected?.(infoOf(client));
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
}

function infoOf(client: Client): UpstreamInfo {
  return {
    name: client.getServerVersion()?.name ?? "server",
    version: client.getServerVersion()?.version ?? "0",
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities() ?? {},
    isModern: client.getProtocolEra() === "modern",
  };
}

/** Replaces an answer that would overflow the stack of whatever walks it. The call was made, so it is not an error. */
function withoutNesting(method: string, { isError = false }: JsonObject): JsonObject {
  const text = `The server answered, and its answer was left out: it is nested deeper than ${MAX_DEPTH} levels.`;
  if (method !== "tools/call") throw new ProtocolError(ProtocolErrorCode.InternalError, text);
  return { content: [{ type: "text", text }], isError };
}
