import type { Clock } from "../clock.ts";
import type { GuardStorage } from "../guards/storage.ts";
import type { McpApp } from "../mcp/app.ts";
import { internals } from "../mcp/internals.ts";
import { answerIn } from "./ask-person.ts";
import type { Exchange } from "./exchange.ts";
import { askThrough, forwardTo } from "./forward.ts";
import { GuardedCalls } from "./guarded-calls.ts";
import { ListedTools } from "./listed-tools.ts";
import { PendingExchanges } from "./pending-exchanges.ts";
import type { Policy } from "./policy.ts";
import { callerAt, type GateParts, serveClient } from "./serve-client.ts";
import { Upstream, type UpstreamInfo, type UpstreamPlace } from "./upstream.ts";
import { UpstreamNotifications } from "./upstream-notifications.ts";

export interface GateOptions {
  readonly place: UpstreamPlace;
  readonly policy: Policy;
  readonly storage: GuardStorage;
  /** Signs questions; the same for every gate of the policy. */
  readonly questionKey: Uint8Array;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

/** A gate before a server: an app for the transports, and its end. */
export interface Gate {
  readonly app: McpApp;
  readonly info: UpstreamInfo;
  readonly close: () => Promise<void>;
}

const RELEASE_MS = 1_000;

/** Connects to the server and puts the policy before it. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { policy, clock, log, place, questionKey } = options;
  const calls = new GuardedCalls(options);
  /** Those that the server works on now. */
  const atServer = new Set<Exchange>();
  const notifications = new UpstreamNotifications(atServer);
  let isOpen = false;
  const upstream = new Upstream(
    place,
    {
      elicitation: { form: {}, url: {} },
      sampling: {},
      ...(policy.passesRoots && { roots: {} }),
    },
    {
      async notified(method, params) {
        if (method === "notifications/tools/list_changed")
          await tools.list().catch((error: Error) => log(`The tools cannot be listed: ${error.message}`));
        await notifications.notified(method, params);
      },
      asked: (method, params) => askThrough(atServer, method, params),
      lost: () => {
        if (isOpen)
          log("The server has ended or its connection is gone. It is connected again with the next request.");
      },
    },
  );
  const tools = new ListedTools(upstream, policy);
  const info = await opened(upstream, tools);
  isOpen = true;
  const forward = forwardTo(upstream, atServer, policy.timeoutMs);
  const exchanges = new PendingExchanges({
    clock,
    key: questionKey,
    async takeAnswer(item, answers, request) {
      if (policy.askInClient) await calls.takeAnswer(item, answerIn(answers), callerAt(request).client);
    },
  });
  const parts: GateParts = { policy, info, upstream, tools, calls, exchanges, notifications, forward };

  let isReleasing = false;
  const releasing = setInterval(() => {
    if (isReleasing) return;
    isReleasing = true;
    void calls
      .release(
        (tool) => tools.has(tool),
        ({ tool, args }) => forward("tools/call", { name: tool, arguments: args }, undefined),
      )
      .catch((error: Error) => log(`What was approved cannot be sent: ${error.message}`))
      .finally(() => {
        isReleasing = false;
      });
  }, RELEASE_MS);
  releasing.unref();

  return {
    info,
    app: {
      surface: {
        name: info.name,
        version: info.version,
        instructions: info.instructions ?? "",
        scopes: {},
        resources: [],
        resourceTemplates: [],
        prompts: [],
        get tools() {
          return tools.now;
        },
      },
      offerTools: () => {},
      resourceUpdated: (uri) => notifications.resourceUpdated(uri),
      [internals]: {
        servers: (link) => serveClient(parts, link),
        updates: notifications.updates,
        onListening: () => {},
        mayHear: async () => true,
      },
    },
    async close() {
      clearInterval(releasing);
      await upstream.close();
    },
  };
}

/** What the server says of itself. A gate that cannot open leaves no server behind. */
async function opened(upstream: Upstream, tools: ListedTools): Promise<UpstreamInfo> {
  try {
    const info = await upstream.info();
    if (info.capabilities.tools !== undefined) await tools.list();
    return info;
  } catch (error) {
    await upstream.close();
    throw error;
  }
}
