import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, type JsonObject, systemClock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../../errors.ts";
import type { GodotBinary } from "../../godot/binary.ts";
import { cacheFolder, type Environment, headlessEnvironment } from "../../godot/environment.ts";
import type { Link, LinkAnswer } from "../../godot/link.ts";
import { type Listener, listen } from "../../godot/listener.ts";
import { packageFolder } from "../../godot/package-folder.ts";
import { type GodotProcess, startProcess } from "../../godot/process.ts";
import {
  cannotDo,
  type PreparedEdit,
  type RawGodotDriver,
  type RequestOptions,
} from "../../operations/driver.ts";
import {
  type EditOperation,
  OPERATIONS,
  type Operation,
  type ParamsOf,
  type ResultOf,
} from "../../operations/operations.ts";

interface EngineOptions {
  readonly binary: GodotBinary;
  readonly project: string;
  readonly env: Environment;
  readonly clock?: Clock;
  /** Home folder of the headless Godot; by default one in the user's cache. */
  readonly home?: string;
  /** Time limit of the start, including the first import of the project. */
  readonly startMs?: number;
}

const START_MS = 300_000;

/**
 * A headless Godot that stays running: an editor without a window. It does not run the game, knows the classes and
 * imports new files. Editor plugins, extensions and `@tool` scripts of the project do run in it. It starts with the
 * first request, restarts after a crash, and is killed with its child processes when a request times out.
 */
export function createEngine(options: EngineOptions): RawGodotDriver {
  return new Engine(options);
}

class Engine implements RawGodotDriver {
  readonly mode = "engine";
  readonly project: string;
  readonly version: string;
  private readonly options: EngineOptions & { readonly clock: Clock; readonly home: string };
  private queue: Promise<unknown> = Promise.resolve();
  private process: GodotProcess | undefined;
  private link: Link | undefined;
  private closed = false;

  constructor(options: EngineOptions) {
    this.project = options.project;
    this.version = options.binary.version;
    this.options = {
      ...options,
      clock: options.clock ?? systemClock,
      home: options.home ?? join(cacheFolder(options.env, process.platform), "home"),
    };
  }

  async request<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    options: RequestOptions = {},
  ): Promise<Result<ResultOf<O>>> {
    if (OPERATIONS[operation].modes === "editor")
      return cannotDo(
        "engine",
        `"${operation}" needs the editor.`,
        "Open the project in the editor with the bridge addon on.",
      );
    let sent = false;
    const turn = this.queue.then(() =>
      // The operation table declares parameters and result, and all of it is JSON.
      this.run(operation, params as JsonObject, options, () => {
        sent = true;
      }),
    );
    this.queue = turn.catch(() => undefined);
    if (options.signal === undefined) return turn as Promise<Result<ResultOf<O>>>;
    // A canceled call is answered at once, unless a change was sent: its outcome must be known.
    const isUnderWay = () => sent && OPERATIONS[operation].writes;
    const early = cancelled(operation, options.signal).then((answer) => (isUnderWay() ? turn : answer));
    return Promise.race([turn, early]) as Promise<Result<ResultOf<O>>>;
  }

  async prepare<O extends EditOperation>(
    operation: O,
    params: ParamsOf<O>,
  ): Promise<Result<PreparedEdit<ResultOf<O>>>> {
    return ok({
      kind: "requested",
      send: (signal, beforeSending) => this.request(operation, params, { signal, beforeSending }),
    });
  }

  get isReady(): boolean {
    return this.link?.open ?? false;
  }

  warm(): void {
    void this.request("settings.get", { names: [] });
  }

  /** Ends this process; the next request starts another. */
  forget(): Promise<void> {
    const stopped = this.queue.then(() => this.stop());
    this.queue = stopped.catch(() => undefined);
    return stopped;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.stop();
  }

  private async run(
    operation: Operation,
    params: JsonObject,
    options: RequestOptions,
    onSent: () => void,
  ): Promise<LinkAnswer> {
    if (options.signal?.aborted) return cancelled(operation, options.signal);
    const ready = await this.ready();
    if (!ready.ok) return ready;
    // The caller may have canceled during the start.
    if (options.signal?.aborted) return cancelled(operation, options.signal);
    onSent();
    await options.beforeSending?.();
    const timeoutMs = options.timeoutMs ?? OPERATIONS[operation].timeoutMs;
    let answer = await ready.value.request(operation, params, timeoutMs);
    if (answer.ok && operation === "diagnostics" && answer.value.outdated === true) {
      await this.stop();
      const again = await this.ready();
      if (!again.ok) return again;
      answer = await again.value.request(operation, params, timeoutMs);
    }
    if (answer.ok) return answer;
    if (answer.failure.code === "E_TIMEOUT") {
      await this.stop();
      return answer;
    }
    return ready.value.open ? answer : this.died();
  }

  private async ready(): Promise<Result<Link>> {
    if (this.closed) return errors.fail("E_NOT_CONNECTED", "This engine has been closed.");
    if (this.link?.open) return ok(this.link);
    await this.stop();
    const started = await this.start();
    if (started.ok) this.link = started.value;
    return started;
  }

  private async start(): Promise<Result<Link>> {
    if (!existsSync(join(this.project, "project.godot")))
      return errors.fail("E_NOT_FOUND", "There is no project.godot in the project's folder.", {
        details: { project: this.project },
      });
    if (isTooOld(this.version))
      return cannotDo(
        "engine",
        `Godot ${this.version} is too old: 4.4 or newer is needed.`,
        "Name a newer Godot by GODOT_PATH, or work with mode files.",
      );
    const token = randomBytes(32).toString("hex");
    const { clock } = this.options;
    let accept: (link: Link) => void = () => {};
    const linked = new Promise<Link>((resolve) => {
      accept = resolve;
    });
    const listener: Listener = await listen({ token, clock, onLink: accept });
    const started = startProcess(this.options.binary.path, {
      args: [
        "--headless",
        "--editor",
        "--path",
        this.project,
        // Its language server and debug adapter open no port if ours is already taken.
        "--lsp-port",
        String(listener.port),
        "--dap-port",
        String(listener.port),
        "--script",
        join(packageFolder, "engine/worker.gd"),
      ],
      env: {
        ...headlessEnvironment(this.options.env, this.options.home),
        GODOT_MCP_WORKER_PORT: String(listener.port),
        GODOT_MCP_WORKER_TOKEN: token,
        GODOT_MCP_BRIDGE: "off",
      },
    });
    this.process = started;
    const stopTimer = clock.after(this.options.startMs ?? START_MS, () => void started.kill());
    const link = await Promise.race([linked, started.exited.then(() => undefined)]);
    stopTimer();
    if (link === undefined) {
      await listener.close();
      return errors.fail("E_NOT_CONNECTED", "The headless Godot ended before it was ready.", {
        suggestedFix: "Look at its output in the details; `godot-mcp-omni doctor` checks the installation.",
        details: { output: started.output.slice(-20) },
      });
    }
    link.onClose(() => void listener.close());
    return ok(link);
  }

  private async stop(): Promise<void> {
    this.link?.close();
    await this.process?.kill();
  }

  private async died(): Promise<LinkAnswer> {
    const exit = await this.process?.kill();
    return errors.fail(
      "E_NOT_CONNECTED",
      "The headless Godot died during the request; the next one starts it again.",
      {
        suggestedFix: "Try again. If it dies again, look at its output in the details.",
        details: {
          died: true,
          exit: exit?.code ?? exit?.signal ?? null,
          output: this.process?.output.slice(-20) ?? [],
        },
      },
    );
  }
}

function cancelled(operation: Operation, signal: AbortSignal): Promise<LinkAnswer> {
  return new Promise((resolve) => {
    const answer = () =>
      resolve(
        errors.fail("E_TIMEOUT", `"${operation}" was cancelled by the caller before Godot answered.`, {
          details: { operation, aborted: true },
        }),
      );
    if (signal.aborted) answer();
    else signal.addEventListener("abort", answer, { once: true });
  });
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major === 4 && minor < 4;
}

/** Files that Godot imports without addons. */
export const ASSET = /\.(?:png|jpe?g|webp|svg|bmp|tga|hdr|exr|wav|ogg|mp3|ttf|otf|woff2?|glb|gltf|obj)$/i;

/** How many of a project's assets Godot has imported. */
interface ImportState {
  readonly done: number;
  readonly total: number;
}

/** From this many files on, an import takes too long for a read to wait. */
const HEAVY = 20;

export function isHeavy({ done, total }: ImportState): boolean {
  return total - done >= HEAVY;
}

export function importText({ done, total }: ImportState): string {
  return `Godot imports the project: ${done} of ${total} files`;
}

export async function importState(root: string): Promise<ImportState> {
  const total = await assetsIn(root);
  // Godot writes one of these for each imported file.
  const imported = await readdir(join(root, ".godot/imported")).catch(() => []);
  return { done: Math.min(total, imported.filter((file) => file.endsWith(".md5")).length), total };
}

/** Like Godot, leaves out hidden folders and those with a `.gdignore`. */
async function assetsIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let count = 0;
  for (const entry of entries) {
    if (entry.name.startsWith(".")) continue;
    if (entry.isFile() && ASSET.test(entry.name)) count++;
    const inside = join(folder, entry.name);
    if (entry.isDirectory() && !existsSync(join(inside, ".gdignore"))) count += await assetsIn(inside);
  }
  return count;
}
