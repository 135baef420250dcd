import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock, Failure, JsonObject, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { listenForGame } from "../debugger/listener.ts";
import { errors, type GodotCode } from "../errors.ts";
import type { GodotBinary } from "../godot/binary.ts";
import type { Link } from "../godot/link.ts";
import { listen } from "../godot/listener.ts";
import { packageFolder } from "../godot/package-folder.ts";
import { type Exit, startProcess } from "../godot/process.ts";
import { BreakWatch } from "./break-watch.ts";

export interface RunnerOptions {
  readonly binary: GodotBinary;
  /** Real path of the project's folder. */
  readonly project: string;
  /** What Godot is told beside the project, `--headless` say, and its whole environment. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What the runner in Godot can be asked for. */
export type RunnerOperation = "test" | "recording";

/** A Godot that runs tests and recordings, one at a time. */
export interface RunnerProcess {
  ask(
    operation: RunnerOperation,
    params: JsonObject,
    timeoutMs: number,
  ): Promise<Outcome<JsonObject, Failure<GodotCode>>>;
  /** False once it has ended. */
  readonly alive: boolean;
  readonly breaks: BreakWatch;
  /** Its last lines. */
  readonly output: readonly string[];
  end(): Promise<Exit>;
}

/** For the autoloads of the project, which start with it. */
const START_MS = 60_000;

export async function startRunner(
  options: RunnerOptions,
): Promise<Outcome<RunnerProcess, Failure<GodotCode>>> {
  const { binary, project, args, env, clock, signal } = options;
  const token = randomBytes(32).toString("hex");
  const { promise: linked, resolve: accept } = Promise.withResolvers<Link>();
  const listener = await listen({ token, clock, onLink: accept });
  const debugging = await listenForGame();
  const started = startProcess(binary.path, {
    args: [
      ...[...args, "--path", project, "--script", join(packageFolder, "engine/test_runner.gd")],
      ...["--remote-debug", `tcp://127.0.0.1:${debugging.port}`],
    ],
    env: { ...env, GODOT_MCP_WORKER_PORT: String(listener.port), GODOT_MCP_WORKER_TOKEN: token },
  });
  void started.exited.then(() => debugging.close());
  const breaks = debugging.accept(started.pid ?? 0).then((session) => new BreakWatch(session, clock));
  const kill = () => void started.kill();
  const stopTimer = clock.after(START_MS, kill);
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  const link = await Promise.race([linked, started.exited]);
  stopTimer();
  if ("code" in link) {
    await listener.close();
    return errors.fail("E_NOT_CONNECTED", "Godot ended, or did not get ready, before it could begin.", {
      suggestedFix: "Look at its output in the details: an autoload of the project may stop it.",
      details: { exit: link.code ?? link.signal, output: started.output.slice(-20) },
    });
  }
  link.onClose(() => void listener.close());
  return ok({
    output: started.output,
    // The debugger is connected to before the first script runs.
    breaks: await breaks,
    get alive() {
      return link.open;
    },
    ask: (operation, params, timeoutMs) => link.request(operation, params, timeoutMs, signal),
    end() {
      signal.removeEventListener("abort", kill);
      return started.kill();
    },
  });
}
