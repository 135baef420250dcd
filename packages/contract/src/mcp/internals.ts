import type { RequestStateCodec, Server, ServerContext } from "@modelcontextprotocol/server";
import type { Caller } from "../call.ts";
import type { Answer } from "../call-state.ts";
import type { McpCore } from "./app.ts";
import type { Handshake } from "./fast-path/handshake.ts";
import type { BoundState, Principal } from "./request.ts";
import type { ServerParts } from "./server.ts";
import type { Telemetry } from "./telemetry.ts";

/** The key of an app's internals, for the transports of this library. The package does not export it. */
export const internals: unique symbol = Symbol("internals of an app");

/** The parts of an app that the transports of this library use. */
export interface Internals {
  /** Creates the app's servers, or the parts from which `newServerOf` creates them with the SDK. */
  readonly servers: NewServer | ServerParts;
  /** The data of the first answers, if it is known before a server exists. */
  readonly handshake?: () => Handshake;
  /** Loads the tools of an app whose first call should not wait for them. */
  readonly preload?: () => void;
  readonly updates: Updates;
  /** Called each time a client starts listening. */
  readonly onListening: () => void;
  /** True if the principal may be notified of changes of the resource. */
  readonly mayHear: MayHear;
}

export type MayHear = (uri: string, principal: string | undefined) => Promise<boolean>;

/** Creates the SDK's server for one connection or one HTTP request. Cheap, because lists are prepared. */
export type NewServer = (client: ClientLink) => Server;

/** How a client is connected. */
export interface ClientLink {
  readonly era: NonNullable<Caller["era"]>;
  readonly transport: Caller["transport"];
  /**
   * HTTP without a session in the protocol before 2026: the client's capabilities are unknown and it cannot be prompted.
   */
  readonly isStateless?: boolean;
  /** Wraps every request of this connection. */
  readonly telemetry?: Telemetry;
  /** The principal of every request on this connection, if the transport knows it. */
  readonly principal?: Principal | undefined;
  /** Lists differ between callers, so shared caches must not store them. */
  readonly listsDiffer?: boolean;
  readonly onCall?: OnCall;
}

/** Called with each call that the SDK has accepted. Returns its answer if the fast path has started it already. */
export type OnCall = (connection: Connection, ctx: ServerContext) => Promise<Answer> | undefined;

/** Listeners to notify of changes. */
export type Updates = Set<Listener>;

/** Notifies the clients of one connection or one transport. */
export interface Listener {
  readonly resourceUpdated: (uri: string) => void;
  readonly toolsChanged: () => void;
  /** For servers whose prompts and resources change, such as the upstream of a gate. */
  readonly promptsChanged?: () => void;
  readonly resourcesChanged?: () => void;
}

/** One client, for the handlers of its requests: its server, and the state that all servers of the app share. */
export interface Connection extends ClientLink {
  readonly server: Pick<Server, "getClientVersion" | "getClientCapabilities" | "sendLoggingMessage">;
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** True if tools are listed with their output schemas. */
  readonly outputSchemas: boolean;
  /** Loaded by the first request that needs it. */
  readonly core: () => Promise<McpCore>;
  readonly codec: () => Promise<RequestStateCodec<BoundState>>;
  /** Marks the user's answer to a question as used. Resolves to false if it was used before. */
  readonly spend: (id: string) => Promise<boolean>;
}

const MAX_REMEMBERED = 10_000;

/** Question answers already used by this process: none counts twice. */
export class SpentAnswers {
  private readonly ids = new Set<string>();

  /** Returns true the first time. */
  spend(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    const [oldest = id] = this.ids.size > MAX_REMEMBERED ? this.ids : [];
    if (oldest !== id) this.ids.delete(oldest);
    return true;
  }
}
