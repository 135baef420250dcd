import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { Caller } from "../call.ts";
import type { Answer } from "../pipeline.ts";
import type { Connection } from "./connection.ts";
import type { Opening } from "./opening.ts";
import type { Principal } from "./principal.ts";
import type { ServerParts } from "./server.ts";
import type { Telemetry } from "./telemetry.ts";

/** Where the transports of this library find the server behind an app. The package does not export this key. */
export const internals: unique symbol = Symbol("internals of an app");

/** What the transports of this library need of an app. */
export interface Internals {
  /** Makes the servers of the app, or what they are made of: `newServerOf` loads the SDK for that. */
  readonly servers: NewServer | ServerParts;
  /** What the first answers are made of, where they are known before a server is made. */
  readonly opening?: () => Opening;
  readonly updates: Updates;
  /** Called whenever a client begins to listen. */
  readonly onListening: () => void;
  /** Whether a caller, who is named by its principal, may hear of changes at an address. */
  readonly mayHear: MayHear;
}

export type MayHear = (uri: string, principal: string | undefined) => Promise<boolean>;

/** Makes the SDK's server for one connection, or for one HTTP request: cheap, since lists are ready made. */
export type NewServer = (client: ClientLink) => Server;

/** How a client is connected. */
export interface ClientLink {
  readonly era: NonNullable<Caller["era"]>;
  readonly transport: Caller["transport"];
  /**
   * Each request stands alone, and the client sends its capabilities only once: nothing is known of them, and no
   * question can be carried to it. HTTP without a session, in the protocol before 2026.
   */
  readonly isStateless?: boolean;
  /** Is around every request of this connection. */
  readonly telemetry?: Telemetry;
  /** Whom every request of this connection comes from, where the transport knows. */
  readonly principal?: Principal | undefined;
  /** Lists differ between callers, so that no cache may give one's to another. */
  readonly listsDiffer?: boolean;
  readonly onCall?: OnCall;
}

/** Called with a call that the SDK has let through. What the transport has begun of it already is its answer. */
export type OnCall = (connection: Connection, ctx: ServerContext) => Promise<Answer> | undefined;

/** Those to notify of a change. */
export type Updates = Set<Listener>;

/** How to notify the clients of one connection or of one transport. */
export interface Listener {
  readonly resourceUpdated: (uri: string) => void;
  readonly toolsChanged: () => void;
  /** Of a server whose prompts and resources change, as those behind a gate may. */
  readonly promptsChanged?: () => void;
  readonly resourcesChanged?: () => void;
}
