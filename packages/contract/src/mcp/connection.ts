import type { RequestStateCodec, Server } from "@modelcontextprotocol/server";
import type { McpCore } from "./app.ts";
import type { BoundState } from "./asking.ts";
import type { ClientLink } from "./internals.ts";

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

/** The answers to questions that this process has used, so that none counts twice. */
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
