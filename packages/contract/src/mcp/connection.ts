import type { McpRequestContext, RequestStateCodec, Server } from "@modelcontextprotocol/server";
import type { Caller } from "../call.ts";
import type { McpCore } from "./app.ts";
import type { BoundState } from "./asking.ts";
import type { SpentAnswers } from "./spent-answers.ts";

/** One client as the handlers of its requests know it: what its server is, and what all servers of the app share. */
export interface Connection {
  readonly server: Server;
  readonly era: McpRequestContext["era"];
  readonly transport: Caller["transport"];
  /** Loaded by the first request that needs it. */
  readonly core: () => Promise<McpCore>;
  readonly codec: () => RequestStateCodec<BoundState>;
  readonly spent: SpentAnswers;
}
