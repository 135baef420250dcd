import type { JsonObject } from "../json.ts";

export interface StartedServer {
  readonly send: (line: string) => void;
  /** Stops the server and resolves when it has exited. */
  readonly stop: () => Promise<void>;
}

export interface DevProxyOptions {
  readonly start: (onLine: (line: string) => void, onEnd: () => void) => StartedServer;
  readonly toClient: (line: string) => void;
}

type Id = string | number;

interface Message extends JsonObject {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
}

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const LIST_CHANGED = "notifications/tools/list_changed";
const INTERNAL_ERROR = -32603;

/**
 * Keeps a client connected to a server that restarts: repeats the handshake, queues requests, and announces
 * the tool list.
 */
export class DevProxy {
  private readonly options: DevProxyOptions;
  private server: StartedServer | undefined;
  /** The request id of a handshake with a new server. */
  private greeting: { readonly id: Id; readonly done: () => void } | undefined;
  private state: "ready" | "starting" | "ended" = "starting";
  private waiting: string[] = [];
  private readonly unanswered = new Set<Id>();
  private initialize: Message | undefined;
  private initialized: string | undefined;
  /** Subscriptions to changes (protocol 2026-07-28), by id. */
  private readonly listening = new Map<Id, string>();
  private starts = 0;
  private restarting: Promise<void> | undefined;
  private isStale = false;

  constructor(options: DevProxyOptions) {
    this.options = options;
    this.begin();
    this.state = "ready";
  }

  fromClient(line: string): void {
    const message = parsed(line);
    if (message === undefined || this.state === "starting") {
      if (message !== undefined) this.waiting.push(line);
      return;
    }
    this.note(message, line);
    const { id, method } = message;
    if (this.state === "ended") {
      if (id !== undefined && method !== undefined)
        this.refuse(
          id,
          "The server has ended; its output says why. It is started again when a file changes.",
        );
      return;
    }
    if (id !== undefined && method !== undefined) this.unanswered.add(id);
    this.server?.send(line);
  }

  /** Calls during a restart cause one more. */
  restart(): Promise<void> {
    this.isStale = true;
    this.restarting ??= this.restartWhileStale().finally(() => {
      this.restarting = undefined;
    });
    return this.restarting;
  }

  async end(): Promise<void> {
    this.state = "ended";
    await this.server?.stop();
  }

  private async restartWhileStale(): Promise<void> {
    while (this.isStale) {
      this.isStale = false;
      this.state = "starting";
      await this.server?.stop();
      this.refuseUnanswered("The server was started again before it had answered. Call again.");
      this.begin();
      await this.greet();
      if (this.server === undefined) this.state = "ended";
      else this.state = "ready";
      for (const line of this.listening.values()) this.server?.send(line);
      for (const line of this.waiting.splice(0)) this.fromClient(line);
    }
    if (this.state === "ready") this.announce();
  }

  private begin(): void {
    this.starts += 1;
    const server: StartedServer = this.options.start(
      (line) => this.fromServer(line),
      () => {
        if (this.server !== server) return;
        this.server = undefined;
        this.greeting?.done();
        if (this.state === "ready") this.state = "ended";
        this.refuseUnanswered("The server ended before it had answered; its output says why.");
      },
    );
    this.server = server;
  }

  /** Repeats the handshake of a client from before 2026-07-28. */
  private async greet(): Promise<void> {
    if (this.initialize === undefined) return;
    const id = `toolpact-dev-${this.starts}`;
    const greeted = new Promise<void>((done) => {
      this.greeting = { id, done };
    });
    this.server?.send(JSON.stringify({ ...this.initialize, id }));
    await greeted;
    this.greeting = undefined;
    if (this.initialized !== undefined) this.server?.send(this.initialized);
  }

  private fromServer(line: string): void {
    const message = parsed(line);
    if (message === undefined) return;
    const { id, method } = message;
    if (id !== undefined && method === undefined) {
      if (id === this.greeting?.id) {
        this.greeting.done();
        return;
      }
      // The server has no changes, but this proxy does.
      if (this.listening.has(id)) return;
      this.unanswered.delete(id);
    }
    this.options.toClient(JSON.stringify(withChanges(message)));
  }

  private note(message: Message, line: string): void {
    const { id, method, params } = message;
    if (method === "initialize") this.initialize = message;
    if (method === "notifications/initialized") this.initialized = line;
    if (method === "subscriptions/listen" && id !== undefined) this.listening.set(id, line);
    if (method === "notifications/cancelled") {
      const cancelled = params?.requestId as Id;
      this.listening.delete(cancelled);
      this.unanswered.delete(cancelled);
    }
  }

  private announce(): void {
    const tell = (params: JsonObject) =>
      this.options.toClient(JSON.stringify({ jsonrpc: "2.0", method: LIST_CHANGED, params }));
    if (this.initialize !== undefined) tell({});
    for (const id of this.listening.keys()) tell({ _meta: { [SUBSCRIPTION]: id } });
  }

  private refuseUnanswered(message: string): void {
    for (const id of this.unanswered) if (!this.listening.has(id)) this.refuse(id, message);
    this.unanswered.clear();
  }

  private refuse(id: Id, message: string): void {
    this.options.toClient(JSON.stringify({ jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message } }));
  }
}

/** Marks the tool list of this message as changeable and not cacheable. */
function withChanges(message: Message): Message {
  const { method, result, params } = message;
  if (method === "notifications/subscriptions/acknowledged") {
    const notifications = { ...(params?.notifications as JsonObject), toolsListChanged: true };
    return { ...message, params: { ...params, notifications } };
  }
  if (result === undefined) return message;
  // Capabilities in an MCP result are objects of objects.
  const capabilities = result.capabilities as JsonObject | undefined;
  return {
    ...message,
    result: {
      ...result,
      ...(result.ttlMs !== undefined && { ttlMs: 0 }),
      ...(capabilities?.tools !== undefined && {
        capabilities: {
          ...capabilities,
          tools: { ...(capabilities.tools as JsonObject), listChanged: true },
        },
      }),
    },
  };
}

function parsed(line: string): Message | undefined {
  try {
    const message = JSON.parse(line);
    return typeof message === "object" && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
