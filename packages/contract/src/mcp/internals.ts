import type { RequestStateCodec, Server, ServerContext } from "@modelcontextprotocol/server";
import type { Caller } from "../call.ts";
import type { Answer } from "../call-state.ts";
import type { McpCore } from "./app.ts";
import type { Handshake } from "./fast-path/handshake.ts";
import type { BoundState, Principal } from "./request.ts";
import type { ServerParts } from "./server.ts";
import type { Telemetry } from "./telemetry.ts";

/** Not exported by the package. */
export const internals: unique symbol = Symbol("internals of an app");

export interface Internals {
  /** Or the parts for `newServerOf`. */
  readonly servers: NewServer | ServerParts;
  /** Set if the first answers are known before a server exists. */
  readonly handshake?: () => Handshake;
  /** Loads tools early so the first call does not wait. */
  readonly preload?: () => void;
  readonly updates: Updates;
  readonly onListening: () => void;
  /** Whether to notify this principal of changes. */
  readonly mayHear: MayHear;
}

export type MayHear = (uri: string, principal: string | undefined) => Promise<boolean>;

/** One per connection or HTTP request. Cheap, because lists are prepared. */
export type NewServer = (client: ClientLink) => Server;

export interface ClientLink {
  readonly era: NonNullable<Caller["era"]>;
  readonly transport: Caller["transport"];
  /** Legacy HTTP without a session: the client's capabilities are unknown, and it cannot be asked. */
  readonly isStateless?: boolean;
  readonly telemetry?: Telemetry;
  /** Set if the transport knows it. */
  readonly principal?: Principal | undefined;
  /** Shared caches must not store lists that differ between callers. */
  readonly listsDiffer?: boolean;
  readonly onCall?: OnCall;
}

/** Called for each call the SDK accepted; returns the answer of one that already runs. */
export type OnCall = (connection: Connection, ctx: ServerContext) => Promise<Answer> | undefined;

export type Updates = Set<Listener>;

export interface Listener {
  readonly resourceUpdated: (uri: string) => void;
  readonly toolsChanged: () => void;
  /** For servers whose prompts and resources change, such as a gate's upstream. */
  readonly promptsChanged?: () => void;
  readonly resourcesChanged?: () => void;
}

/** One client, and the state that all servers of the app share. */
export interface Connection extends ClientLink {
  readonly server: Pick<Server, "getClientVersion" | "getClientCapabilities" | "sendLoggingMessage">;
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly outputSchemas: boolean;
  /** Loaded by the first request that needs it. */
  readonly core: () => Promise<McpCore>;
  readonly codec: () => Promise<RequestStateCodec<BoundState>>;
  /** Resolves to false if the answer was used before. */
  readonly spend: (id: string) => Promise<boolean>;
}

const MAX_REMEMBERED = 10_000;

/** Answers this process has used. */
export class SpentAnswers {
  private readonly ids = new Set<string>();

  spend(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    const [oldest = id] = this.ids.size > MAX_REMEMBERED ? this.ids : [];
    if (oldest !== id) this.ids.delete(oldest);
    return true;
  }
}
