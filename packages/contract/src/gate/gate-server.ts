import type { Clock } from "../clock.ts";
import { digest, type JsonObject } from "../json.ts";
import { askThrough, type Exchange, type Forward, forwardTo } from "./exchange.ts";
import type { ServerPolicy } from "./policy.ts";
import { placeDigest, type ServerMemory } from "./server-memory.ts";
import { Upstream, type UpstreamInfo } from "./upstream.ts";
import { UpstreamCatalog } from "./upstream-catalog.ts";
import type { UpstreamPlace } from "./upstream-place.ts";

/** One server behind the gate. */
export interface GateServer {
  readonly policy: ServerPolicy;
  readonly upstream: Upstream;
  readonly catalog: UpstreamCatalog;
  readonly forward: Forward;
  /** Requests of clients that it is working on. */
  readonly atServer: ReadonlySet<Exchange>;
  /** The server's description of itself: the last one, or undefined before it has ever run. */
  readonly info: () => UpstreamInfo | undefined;
}

export interface GateServerOptions {
  readonly policy: ServerPolicy;
  readonly place: UpstreamPlace;
  readonly memory: ServerMemory;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  readonly notified: (server: GateServer, method: string, params: JsonObject) => Promise<void>;
}

/** Describes a server to the gate. It is started by the first request that needs it. */
export function gateServer({ policy, place, memory, clock, log, notified }: GateServerOptions): GateServer {
  const atServer = new Set<Exchange>();
  const known = memory.get(policy.name);
  const isKnown = known?.place === placeDigest(place);
  let info = isKnown ? known.info : undefined;
  let isLegacy = info?.isModern === false;
  let isOutdated = false;
  let isAnnounced = false;
  let remembered = isKnown ? digest([known.info, known.listed]) : "";
  const upstream = new Upstream(
    place,
    { elicitation: { form: {}, url: {} }, sampling: {}, ...(policy.passesRoots && { roots: {} }) },
    {
      connected(now) {
        // Another version may speak the newer protocol: the next gate finds out.
        isOutdated = info !== undefined && info.version !== now.version && isLegacy;
        isLegacy = !now.isModern;
        info = now;
        // A server that was started again may have other tools.
        catalog.isFresh = false;
      },
      isLegacy: () => isLegacy,
      async notified(method, params) {
        isAnnounced = method === "notifications/tools/list_changed";
        if (isAnnounced)
          await catalog
            .refresh()
            .catch((error: Error) => log(`The tools of ${policy.name} cannot be listed: ${error.message}`));
        isAnnounced = false;
        await notified(server, method, params);
      },
      asked: (method, params) => askThrough(atServer, method, params),
      lost() {
        catalog.isFresh = false;
        log(
          `The server ${policy.name} has ended, or its connection is closed. The next request connects again.`,
        );
      },
    },
    clock,
  );
  const catalog = new UpstreamCatalog({
    upstream: {
      tools: async (signal) =>
        (await upstream.info()).capabilities.tools === undefined ? [] : upstream.tools(signal),
    },
    policy,
    memory,
    clock,
    async onListed(listed) {
      if (info === undefined || digest([info, listed]) === remembered) return;
      const isOther = remembered !== "";
      remembered = digest([info, listed]);
      await memory.remember(policy.name, { place: isOutdated ? "" : placeDigest(place), info, listed });
      if (isOther && !isAnnounced) await notified(server, "notifications/tools/list_changed", {});
    },
  });
  const server: GateServer = {
    policy,
    upstream,
    catalog,
    atServer,
    forward: forwardTo(upstream, atServer, policy.timeoutMs),
    info: () => info,
  };
  return server;
}
