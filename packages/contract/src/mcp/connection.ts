import type { RequestStateCodec, Server } from "@modelcontextprotocol/server";
import type { McpCore } from "./app.ts";
import type { BoundState } from "./asking.ts";
import type { ClientLink } from "./internals.ts";

/** One client as the handlers of its requests know it: what its server is, and what all servers of the app share. */
export interface Connection extends ClientLink {
  readonly server: Pick<Server, "getClientVersion" | "getClientCapabilities" | "sendLoggingMessage">;
  /** The end of every result of this server, as the SDK writes it in this era. */
  readonly resultEnd: string;
  /** Whether tools are listed with the schemas of their answers. */
  readonly outputSchemas: boolean;
  /** Loaded by the first request that needs it. */
  readonly core: () => Promise<McpCore>;
  readonly codec: () => Promise<RequestStateCodec<BoundState>>;
  /** Whether an answer of the person, which is named by its id, is taken for the first time. */
  readonly spend: (id: string) => Promise<boolean>;
}

const MOST_REMEMBERED = 10_000;

/** The answers that this process has taken, so that none of them counts twice. */
export class SpentAnswers {
  private readonly ids = new Set<string>();

  /** Whether this is the first time. */
  spend(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    const [oldest = id] = this.ids.size > MOST_REMEMBERED ? this.ids : [];
    if (oldest !== id) this.ids.delete(oldest);
    return true;
  }
}
