import type { JsonObject } from "../json.ts";
import type { Catalog } from "../product.ts";
import type { Tool } from "../tool.ts";
import type { GateFacts } from "./gate-product.ts";
import type { GateServer } from "./gate-server.ts";

/** The tools of all servers. */
export interface GateCatalog extends Pick<Catalog<GateFacts>, "tools" | "get"> {
  /** The definitions in `tools/list`. */
  readonly listed: readonly JsonObject[];
  readonly serverNamed: (name: string) => GateServer;
  /** Fetches the list of the tool's server, unless it has come over this connection. */
  readonly freshen: (tool: string) => Promise<void>;
  /**
   * Fetches the lists of the servers that run, or of all. Fails if the only server cannot be asked; of several, those that
   * answer count.
   */
  readonly refresh: (which: "running" | "all") => Promise<void>;
}

export function gateCatalog(servers: readonly GateServer[], log: (message: string) => void): GateCatalog {
  // Prefixes tell tools apart. The server without a prefix comes last and cannot take another's name.
  const inOrder = [...servers].sort(
    (a, b) => Number(a.policy.prefix === "") - Number(b.policy.prefix === ""),
  );
  const serverOf = (tool: string) => inOrder.find(({ catalog }) => catalog.get(tool) !== undefined);
  const all = (): readonly Tool<GateFacts>[] =>
    servers.flatMap((server) => server.catalog.tools.filter(({ name }) => serverOf(name) === server));
  return {
    get tools() {
      return all();
    },
    get listed() {
      return all().map(({ facts }) => facts.listed);
    },
    get: (name) => serverOf(name)?.catalog.get(name),
    serverNamed(name) {
      const found = servers.find(({ policy }) => policy.name === name);
      if (found === undefined) throw new Error(`The gate has no server ${name}.`);
      return found;
    },
    async freshen(tool) {
      const server = serverOf(tool);
      if (server !== undefined && !server.catalog.isFresh) await server.catalog.refresh();
    },
    async refresh(which) {
      const asked = servers.filter(
        ({ upstream, info }) => which === "all" || upstream.isStarted || info() === undefined,
      );
      await Promise.all(
        asked.map(({ catalog, policy }) =>
          catalog.refresh().catch((error: Error) => {
            if (servers.length === 1) throw error;
            log(`The tools of ${policy.name} cannot be listed: ${error.message}`);
          }),
        ),
      );
    },
  };
}
