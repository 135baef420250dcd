import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock, JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { startDebugged } from "../game/guarded-process.ts";
import type { GodotBinary } from "../godot/binary.ts";
import type { Link } from "../godot/link.ts";
import { listen } from "../godot/listener.ts";
import { packageFolder } from "../godot/package-folder.ts";
import type { Exit } from "../godot/process.ts";
import { BreakWatch } from "./break-watch.ts";

export interface RunnerOptions {
  readonly binary: GodotBinary;
  readonly project: string;
  /** Godot's arguments besides the project, such as `--headless`, and its whole environment. */
  readonly args: readonly string[];
  /** Arguments of the game itself. */
  readonly userArgs?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Operations of the runner in Godot. `frame` lets a recording play one, if several games play together. */
export type RunnerOperation = "test" | "recording" | "frame";

/** A Godot process that runs tests and recordings, one at a time. */
export interface RunnerProcess {
  ask(operation: RunnerOperation, params: JsonObject, timeoutMs: number): Promise<Result<JsonObject>>;
  /** False once it has ended. */
  readonly alive: boolean;
  readonly breaks: BreakWatch;
  /** Its last lines. */
  readonly output: readonly string[];
  /** Ends it at once, or after `graceMs` if it is about to end by itself with its own exit code. */
  end(graceMs?: number): Promise<Exit>;
}

/** Time for the autoloads of the project to start. */
const START_MS = 60_000;

export async function startRunner(options: RunnerOptions): Promise<Result<RunnerProcess>> {
  const { binary, project, args, userArgs = [], env, clock, signal } = options;
  const token = randomBytes(32).toString("hex");
  const { promise: linked, resolve: accept } = Promise.withResolvers<Link>();
  const listener = await listen({ token, clock, onLink: accept });
  const started = await startDebugged(binary.path, {
    args: [
      ...args,
      "--path",
      project,
      "--script",
      join(packageFolder, "engine/test_runner.gd"),
      ...(userArgs.length === 0 ? [] : ["--", ...userArgs]),
    ],
    env: { ...env, GODOT_MCP_WORKER_PORT: String(listener.port), GODOT_MCP_WORKER_TOKEN: token },
    clock,
  });
  void started.exited.then(() => listener.close());
  const stopTimer = clock.after(START_MS, started.kill);
  signal.addEventListener("abort", started.kill, { once: true });
  if (signal.aborted) started.kill();
  const ready = await Promise.race([Promise.all([linked, started.session]), started.exited]);
  stopTimer();
  if ("code" in ready)
    return errors.fail("E_NOT_CONNECTED", "Godot ended, or did not get ready, before it could begin.", {
      suggestedFix: "Look at its output in the details: an autoload of the project may stop it.",
      details: { exit: ready.code ?? ready.signal, output: started.output.slice(-20) },
    });
  const [link, session] = ready;
  return ok({
    output: started.output,
    breaks: new BreakWatch(session, clock),
    get alive() {
      return link.open;
    },
    ask: (operation, params, timeoutMs) => link.request(operation, params, timeoutMs, signal),
    end(graceMs = 0) {
      signal.removeEventListener("abort", started.kill);
      if (graceMs === 0) started.kill();
      else void started.exited.then(clock.after(graceMs, started.kill));
      return started.exited;
    },
  });
}
