import type { RequestStateCodec, Server } from "@modelcontextprotocol/server";
import type { McpCore } from "./app.ts";
import type { BoundState } from "./asking.ts";
import type { ClientLink } from "./internals.ts";
import type { SpentAnswers } from "./spent-answers.ts";

/** One client as the handlers of its requests know it: what its server is, and what all servers of the app share. */
export interface Connection extends ClientLink {
  readonly server: Server;
  /** Loaded by the first request that needs it. */
  readonly core: () => Promise<McpCore>;
  readonly codec: () => RequestStateCodec<BoundState>;
  readonly spent: SpentAnswers;
}
