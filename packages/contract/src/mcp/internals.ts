import type { McpApp } from "./app.ts";
import type { ServerFactory, Updates } from "./server.ts";

/** What the transports of this library need of an app, and nobody else may have. */
export interface Internals {
  readonly factory: ServerFactory;
  readonly updates: Updates;
}

const internals = new WeakMap<McpApp, Internals>();

export function keepInternals(app: McpApp, its: Internals): void {
  internals.set(app, its);
}

export function internalsOf(app: McpApp): Internals {
  const found = internals.get(app);
  if (found === undefined) throw new Error("Not an app made by createMcpApp.");
  return found;
}
