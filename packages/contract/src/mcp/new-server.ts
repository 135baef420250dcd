import type { McpApp } from "./app.ts";
import { internals, type NewServer } from "./internals.ts";
import { type ServerParts, serverFactory } from "./server.ts";

/** Makes the servers of an app. All of them share what the app remembers, such as which answers were spent. */
export function newServerOf(app: McpApp): NewServer {
  const { servers } = app[internals];
  if (typeof servers === "function") return servers;
  const made = factories.get(servers) ?? serverFactory(servers);
  factories.set(servers, made);
  return made;
}

const factories = new WeakMap<ServerParts, NewServer>();
