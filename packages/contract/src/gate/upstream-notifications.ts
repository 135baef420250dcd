import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { JsonObject } from "../json.ts";
import type { ClientLink, Listener, Updates } from "../mcp/internals.ts";
import { clientIsGone } from "../mcp/request.ts";
import type { StrictServer } from "../mcp/strict-server.ts";
import type { Exchange } from "./exchange.ts";
import { asProtocolError } from "./no-answer.ts";
import type { Upstream } from "./upstream.ts";

/** Hands on to the clients what the server says by itself: changes of lists and resources, and lines of its log. */
export class UpstreamNotifications {
  readonly updates: Updates = new Set();
  /** Clients of before 2026 that keep a connection: log lines that belong to no call are for them all. */
  private readonly servers = new Set<StrictServer>();
  private readonly atServer: ReadonlySet<Exchange>;

  constructor(atServer: ReadonlySet<Exchange>) {
    this.atServer = atServer;
  }

  async notified(method: string, params: JsonObject): Promise<void> {
    switch (method) {
      case "notifications/tools/list_changed":
        for (const listener of this.updates) listener.toolsChanged();
        return;
      case "notifications/prompts/list_changed":
        for (const listener of this.updates) listener.promptsChanged?.();
        return;
      case "notifications/resources/list_changed":
        for (const listener of this.updates) listener.resourcesChanged?.();
        return;
      case "notifications/resources/updated":
        this.resourceUpdated(String(params.uri));
        return;
      case "notifications/message": {
        const [only] = this.atServer.size === 1 ? this.atServer : [];
        // A line of the log belongs to the one call that runs; otherwise to every client that keeps a connection.
        if (only !== undefined)
          // A line of the log has a level and data, as the protocol has it.
          only.tell(({ log }) => log(params.level as LoggingLevel, params.data, textOf(params.logger)));
        else
          for (const server of this.servers)
            await server.notification({ method, params: { ...params } }).catch(clientIsGone);
        return;
      }
    }
  }

  resourceUpdated(uri: string): void {
    for (const listener of this.updates) listener.resourceUpdated(uri);
  }

  /** Tells a client, in the way of its era, for as long as it is connected. */
  tell(server: StrictServer, link: ClientLink, upstream: Upstream, canSubscribe: boolean): void {
    const subscribed = new Set<string>();
    const hasStreams = link.transport === "stdio" && link.era === "modern";
    const lasts = link.transport === "stdio" || (link.era === "legacy" && link.isStateless !== true);
    const listener: Listener = {
      toolsChanged: () => void server.sendToolListChanged().catch(clientIsGone),
      promptsChanged: () => void server.sendPromptListChanged().catch(clientIsGone),
      resourcesChanged: () => void server.sendResourceListChanged().catch(clientIsGone),
      resourceUpdated(uri) {
        if (hasStreams || subscribed.has(uri)) void server.sendResourceUpdated({ uri }).catch(clientIsGone);
      },
    };
    if (canSubscribe) {
      server.setRequestHandler("resources/subscribe", async ({ params }) => {
        await upstream.subscribe(params.uri).catch((error) => Promise.reject(asProtocolError(error)));
        subscribed.add(params.uri);
        return {};
      });
      server.setRequestHandler("resources/unsubscribe", async ({ params }) => {
        await upstream.unsubscribe(params.uri).catch((error) => Promise.reject(asProtocolError(error)));
        subscribed.delete(params.uri);
        return {};
      });
    }
    if (!lasts) return;
    this.updates.add(listener);
    if (link.era === "legacy") this.servers.add(server);
    server.onclose = () => {
      this.updates.delete(listener);
      this.servers.delete(server);
    };
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
