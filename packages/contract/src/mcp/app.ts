import type { Server as SdkServer } from "@modelcontextprotocol/server";
import { once } from "../once.ts";
import type { Bug, Pipeline } from "../pipeline.ts";
import type { Prompt } from "../prompt.ts";
import type { Resource } from "../resource.ts";
import type { Services } from "../services.ts";
import type { Surface } from "../surface.ts";
import { handshakeOf } from "./fast-path/handshake.ts";
import { type Internals, internals, type Updates } from "./internals.ts";
import type { Tasks } from "./tasks.ts";

/** What an app is made of. */
export interface McpAppOptions {
  readonly surface: Surface;
  /** False leaves the output schemas out of `tools/list`. */
  readonly outputSchemas?: boolean | undefined;
  /** Called on the first call; lists and handshakes are answered without it. */
  readonly load: () => Promise<McpCore>;
  /** Calls `load` as soon as a list of tools was answered: a call is likely to follow, and then finds everything ready. */
  readonly loadAfterList?: boolean;
  /** Whether `offerTools` will be called: clients then listen for changes of the list, and do not cache it. */
  readonly toolsChange?: boolean;
  /** Whether the core has `tasks`: calls of clients that know the extension can then be tasks. */
  readonly hasTasks?: boolean;
  /** At least 32 bytes, the same in every replica; random when one process serves every round of a call. */
  readonly stateKey?: string;
  /** Called with every bug outside of a tool's run, such as in `load` or a resource. Writes to stderr unless given. */
  readonly onBug?: (bug: Bug) => void;
  /**
   * Called with each server of the MCP SDK, one per connection or HTTP request, after the handlers of this library are
   * registered and before it is connected. Use it for SDK features that this library does not wrap. The handshake is
   * then answered by the SDK, not in advance; calls keep their fast path, unless the function replaces `tools/call`.
   */
  readonly withSdkServer?: ((server: SdkServer) => void) | undefined;
}

/** What is loaded for the first call. */
export interface McpCore {
  readonly pipeline: Pipeline<never>;
  readonly services?: Services;
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  /** The state key where it is not known at the start; undefined for a random one. Asked for with the first question. */
  readonly stateKey?: () => Promise<string | undefined>;
  /**
   * Whether an answer of the person is taken for the first time, for replicas that remember together; one that is
   * older than `expiresAt` is refused anyway. Each process remembers its own in any case.
   */
  readonly spendAnswer?: (id: string, expiresAt: number) => Promise<boolean>;
  readonly tasks?: Tasks;
  /** Called once, when the first client listens for changes of resources. Calls back with the address of each that changed. */
  readonly watch?: (onChange: (uri: string) => void) => void;
  /** Whether a caller may hear of changes at an address, by its principal; everybody may where it is missing. */
  readonly mayHear?: (uri: string, principal: string | undefined) => boolean;
}

/** A product on the MCP wire. The SDK's server behind it never leaves this library. */
export interface McpApp {
  readonly surface: Surface;
  /** Replaces the list of tools and notifies clients. For an app that declared `toolsChange`. */
  readonly offerTools: (tools: Surface["tools"]) => void;
  /** Notifies subscribed clients that a resource has changed. */
  readonly resourceUpdated: (uri: string) => void;
  /** For the transports of this library alone. */
  readonly [internals]: Internals;
}

const MIN_STATE_KEY = 32;

/**
 * Binds a surface to MCP, and to the tools behind it once one is called. Import it from `@toolpact/contract/internal/app`
 * where the start must be fast: that entry loads no tool and no schema.
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
  /** Once what is being answered now has gone out. A failure is told to whoever calls, when it is tried again. */
  const onListed = () => {
    if (core.current() === undefined) setImmediate(() => core().catch(() => {}));
  };
  let isWatching = false;
  const onListening = () => {
    if (isWatching) return;
    isWatching = true;
    core().then(
      ({ watch }) => watch?.(app.resourceUpdated),
      // The next call says why it cannot be loaded, and the next who listens tries again.
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
    offerTools(tools) {
      surface = { ...surface, tools: listed(tools) };
      for (const listener of updates) listener.toolsChanged();
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
        ...(options.loadAfterList && { onListed }),
      },
      // The surface has no output schemas if they are turned off.
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
