import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { JsonObject } from "../json.ts";
import type { ClientLink, Listener, Updates } from "../mcp/internals.ts";
import { clientIsGone } from "../mcp/request.ts";
import type { StrictServer } from "../mcp/strict-server.ts";
import type { Exchange } from "./exchange.ts";
import type { Upstream } from "./upstream.ts";
import { asProtocolError } from "./upstream-failure.ts";

/** Passes notifications of the upstream server to the clients: changed lists and resources, and log messages. */
export class UpstreamNotifications {
  readonly updates: Updates = new Set();
  /** Connected clients from before 2026. All of them get log messages that belong to no call. */
  private readonly servers = new Set<StrictServer>();

  /** `atServer` are the requests that the server is working on. */
  async pass(atServer: ReadonlySet<Exchange>, method: string, params: JsonObject): Promise<void> {
    switch (method) {
      case "notifications/tools/list_changed":
        this.toolsChanged();
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
        const [only] = atServer.size === 1 ? atServer : [];
        // A log message belongs to the running call if there is only one, otherwise to every connected client.
        if (only !== undefined)
          // A log message has a level and data.
          only.notify(({ log }) => log(params.level as LoggingLevel, params.data, textOf(params.logger)));
        else
          for (const server of this.servers)
            await server.notification({ method, params: { ...params } }).catch(clientIsGone);
        return;
      }
    }
  }

  toolsChanged(): void {
    for (const listener of this.updates) listener.toolsChanged();
  }

  resourceUpdated(uri: string): void {
    for (const listener of this.updates) listener.resourceUpdated(uri);
  }

  /** Notifies a client, as its era does it, while it is connected. */
  connect(server: StrictServer, link: ClientLink, upstreamOf: UpstreamOf | undefined): void {
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
    if (upstreamOf !== undefined) {
      const at = (uri: string, act: (upstream: Upstream) => Promise<void>) =>
        upstreamOf(uri)
          .then(act)
          .catch((error) => Promise.reject(asProtocolError(error)));
      server.setRequestHandler("resources/subscribe", async ({ params }) => {
        await at(params.uri, (upstream) => upstream.subscribe(params.uri));
        subscribed.add(params.uri);
        return {};
      });
      server.setRequestHandler("resources/unsubscribe", async ({ params }) => {
        await at(params.uri, (upstream) => upstream.unsubscribe(params.uri));
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

/** The server that has the resource. */
export type UpstreamOf = (uri: string) => Promise<Upstream>;

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
