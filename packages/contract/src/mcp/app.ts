import type { Server as SdkServer } from "@modelcontextprotocol/server";
import { once } from "@toolpact/outcome";
import type { Bug, Pipeline } from "../pipeline.ts";
import type { Services } from "../product.ts";
import type { Prompt } from "../prompt.ts";
import type { Resource } from "../resource.ts";
import type { Surface } from "../surface.ts";
import { handshakeOf } from "./fast-path/handshake.ts";
import { type Internals, internals, type Updates } from "./internals.ts";
import type { Tasks } from "./tasks.ts";

export interface McpAppOptions {
  readonly surface: Surface;
  /** False omits output schemas from `tools/list`. */
  readonly outputSchemas?: boolean | undefined;
  /** Loads the tools for the first call; handshakes and lists do not need it. */
  readonly load: () => Promise<McpCore>;
  /** Loads after the first messages, because a call is likely to follow. */
  readonly loadAfterList?: boolean;
  /** True if `offerTools` will be called: clients then listen, and do not cache the list. */
  readonly toolsChange?: boolean;
  /** True if the core has `tasks`. */
  readonly hasTasks?: boolean;
  /** Signs questions: 32 bytes or more, equal in all replicas. Random by default. */
  readonly stateKey?: string;
  /** Called for bugs outside of tools. Default: writes to stderr. */
  readonly onBug?: (bug: Bug) => void;
  /**
   * Called with each SDK server after our handlers are registered, for SDK features we do not wrap. The SDK
   * then answers the handshake; calls keep the fast path unless this replaces `tools/call`.
   */
  readonly withSdkServer?: ((server: SdkServer) => void) | undefined;
}

export interface McpCore {
  readonly pipeline: Pipeline<never>;
  readonly services?: Services;
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  /** A state key that is unknown at the start; undefined for a random one. */
  readonly stateKey?: () => Promise<string | undefined>;
  /** Marks an answer as used across replicas; false if it was. Answers after `expiresAt` are rejected anyway. */
  readonly spendAnswer?: (id: string, expiresAt: number) => Promise<boolean>;
  readonly tasks?: Tasks;
  /** Called once, when the first client listens for changes of resources. */
  readonly watch?: (onChange: (uri: string) => void) => void;
  /** Whether to notify this principal of changes; default yes. */
  readonly mayHear?: (uri: string, principal: string | undefined) => boolean;
}

/** A product bound to MCP. It does not expose the SDK's server. */
export interface McpApp {
  readonly surface: Surface;
  /**
   * Replaces the tools and notifies clients. Waits up to a second for one to list again, or its model sees
   * the old list.
   */
  readonly offerTools: (tools: Surface["tools"]) => Promise<void>;
  readonly resourceUpdated: (uri: string) => void;
  /** For the transports of this library. */
  readonly [internals]: Internals;
}

const MIN_STATE_KEY = 32;
const MAX_LIST_WAIT_MS = 1_000;

/**
 * Binds a surface to MCP, and to its tools when the first one is called. Import it from
 * `@toolpact/contract/internal/app` for a fast start: that entry loads no tool and no schema.
 *
 * ```ts
 * const app = createMcpApp({ surface, load: async () => ({ pipeline }) });
 * serveStdio(app);
 * ```
 */
export function createMcpApp(options: McpAppOptions): McpApp {
  if (options.stateKey !== undefined && Buffer.byteLength(options.stateKey) < MIN_STATE_KEY)
    throw new RangeError(`The state key must have at least ${MIN_STATE_KEY} bytes.`);
  const updates: Updates = new Set();
  const listed = (tools: Surface["tools"]) =>
    options.outputSchemas === false ? tools.map(({ outputSchema: _, ...tool }) => tool) : tools;
  let surface = { ...options.surface, tools: listed(options.surface.tools) };
  const core = once(options.load);
  /** False if a client ignored the last change: some list only once. */
  let isListedAgain = true;
  const waiting = new Set<() => void>();
  const nextList = () =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(() => {
        isListedAgain = false;
        done();
      }, MAX_LIST_WAIT_MS);
      waiting.add(done);
    });
  /** Runs after the answer. After a failure, the next call tries again and reports it. */
  const preload = () => {
    if (options.loadAfterList && core.current() === undefined) setImmediate(() => core().catch(() => {}));
  };
  const onListed = () => {
    isListedAgain = true;
    // After the list itself was sent.
    for (const done of waiting) setImmediate(done);
    preload();
  };
  let isWatching = false;
  const onListening = () => {
    if (isWatching) return;
    isWatching = true;
    core().then(
      ({ watch }) => watch?.(app.resourceUpdated),
      // The next call reports the failure, and the next listener tries again.
      () => {
        isWatching = false;
      },
    );
  };
  const mayHear = async (uri: string, principal: string | undefined) =>
    (await core()).mayHear?.(uri, principal) ?? true;
  const app: McpApp = {
    get surface() {
      return surface;
    },
    async offerTools(tools) {
      surface = { ...surface, tools: listed(tools) };
      const asked = updates.size > 0 && isListedAgain ? nextList() : undefined;
      for (const listener of updates) listener.toolsChanged();
      await asked;
    },
    resourceUpdated(uri) {
      for (const listener of updates) listener.resourceUpdated(uri);
    },
    [internals]: {
      servers: {
        ...options,
        core,
        surface: () => surface,
        updates,
        onListening,
        mayHear,
        onListed,
      },
      preload,
      // Without output schemas the surface has none.
      ...(options.withSdkServer === undefined && {
        handshake: () => handshakeOf(surface, { ...options, outputSchemas: true }),
      }),
      updates,
      onListening,
      mayHear,
    },
  };
  return app;
}
