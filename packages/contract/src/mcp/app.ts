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

/** Options of an app. */
export interface McpAppOptions {
  readonly surface: Surface;
  /** False leaves the output schemas out of `tools/list`. */
  readonly outputSchemas?: boolean | undefined;
  /** Loads the tools. Called by the first call; lists and handshakes do not need it. */
  readonly load: () => Promise<McpCore>;
  /** Calls `load` when the client's first messages are answered, since a call is likely to follow. */
  readonly loadAfterList?: boolean;
  /** True if `offerTools` will be called: clients then listen for changes of the list, and do not cache it. */
  readonly toolsChange?: boolean;
  /** True if the core has `tasks`: calls of clients that support the extension can then be tasks. */
  readonly hasTasks?: boolean;
  /** Signs questions. At least 32 bytes, the same in every replica; random by default, for a single process. */
  readonly stateKey?: string;
  /** Called with each bug outside of a tool, such as in `load` or a resource. Writes to stderr by default. */
  readonly onBug?: (bug: Bug) => void;
  /**
   * Called with each server of the MCP SDK, one per connection or HTTP request, after the handlers of this library are
   * registered and before it is connected. Use it for SDK features that this library does not wrap. The handshake is
   * then answered by the SDK, not in advance; calls keep their fast path, unless the function replaces `tools/call`.
   */
  readonly withSdkServer?: ((server: SdkServer) => void) | undefined;
}

/** The part of an app that is loaded for the first call. */
export interface McpCore {
  readonly pipeline: Pipeline<never>;
  readonly services?: Services;
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  /** Returns the state key if it is not known at the start; undefined for a random one. Called for the first question. */
  readonly stateKey?: () => Promise<string | undefined>;
  /**
   * Marks the answer to a question as used, for replicas that share this. Resolves to false if it was used before.
   * Answers after `expiresAt` are rejected anyway, and each process remembers its own answers in any case.
   */
  readonly spendAnswer?: (id: string, expiresAt: number) => Promise<boolean>;
  readonly tasks?: Tasks;
  /** Called once, when the first client listens for changes of resources. Call `onChange` for each changed resource. */
  readonly watch?: (onChange: (uri: string) => void) => void;
  /** True if the principal may be notified of changes of the resource; by default all may. */
  readonly mayHear?: (uri: string, principal: string | undefined) => boolean;
}

/** A product bound to MCP. It does not expose the SDK's server. */
export interface McpApp {
  readonly surface: Surface;
  /**
   * Replaces the list of tools and notifies clients. Requires `toolsChange`. Resolves once a client has asked for the
   * new list, or after a second: a client that gets an answer earlier asks its model with the old list.
   */
  readonly offerTools: (tools: Surface["tools"]) => Promise<void>;
  /** Notifies subscribed clients that a resource has changed. */
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
  /** False if the last change of the list was ignored: some clients list once, and are not waited for again. */
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
  /** Loads after the current answer was sent. The next call tries again after a failure, and reports it. */
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
