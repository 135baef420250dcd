import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import type { Clock } from "@toolpact/contract";
import { keepLines, killGroup } from "../godot/process.ts";
import { listenForGame } from "./debugger/listener.ts";
import type { Session } from "./debugger/session.ts";
import type { Sandbox } from "./sandbox.ts";

interface GuardedOptions {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** A process that ends with this one, even after a crash, together with its child processes. */
export interface GuardedProcess {
  readonly pid: number | undefined;
  /** Its last lines of output, still readable after its end. */
  readonly output: readonly string[];
  /** Its output on file descriptor 3. */
  readonly answers: Readable;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  kill(): void;
}

const MARK = "GODOT_MCP_GAME";

/**
 * A guard waits on a pipe that this process holds open. When it closes, the guard kills the process group and every
 * process with its mark in the environment: child processes of Godot leave the group, but keep the environment.
 */
const GUARD = `mark=$1; shift
exec 9<&0
{ cat <&9
  grep -lsz "^${MARK}=$mark$" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do kill -KILL "$pid"; done
  kill -KILL 0
} >/dev/null 2>&1 3>&- &
exec env ${MARK}="$mark" "$@" 9<&- </dev/null`;

const GUARD_MS = 3_000;

export function startGuarded(path: string, options: GuardedOptions): GuardedProcess {
  const isGuarded = process.platform !== "win32";
  const mark = randomBytes(8).toString("hex");
  const [command, args] = isGuarded
    ? ["/bin/sh", ["-c", GUARD, "guard", mark, path, ...options.args]]
    : [path, options.args];
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...options.env },
    detached: isGuarded,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const output: string[] = [];
  keepLines(child.stdout, output);
  keepLines(child.stderr, output);
  for (const stream of child.stdio) stream?.on("error", () => {});
  let stopTimer = () => {};
  let isOver = false;
  const kill = () => {
    // Another process may have its id by now.
    if (isOver) return;
    stopTimer();
    child.stdin?.end();
    if (!isGuarded) killGroup(child);
    stopTimer = options.clock.after(GUARD_MS, () => killGroup(child));
  };
  // Its child processes hold the output open, so they are ended before the output is complete.
  child.on("exit", kill);
  const exited = new Promise<Awaited<GuardedProcess["exited"]>>((resolve) => {
    child.on("error", (cause) => {
      output.push(cause.message);
      resolve({ code: null, signal: null });
    });
    child.on("close", (code, signal) => {
      isOver = true;
      stopTimer();
      resolve({ code, signal });
    });
  });
  return {
    pid: child.pid,
    output,
    answers: child.stdio[3] as Readable,
    exited,
    kill,
  };
}

/** A Godot process with this server as its debugger. */
export interface DebuggedProcess extends GuardedProcess {
  /** Stays pending if the process ends before it connects. */
  readonly session: Promise<Session>;
}

export async function startDebugged(
  path: string,
  options: GuardedOptions,
  sandbox?: Sandbox,
): Promise<DebuggedProcess> {
  const listener = await listenForGame(sandbox?.socket);
  const debugged = ["--remote-debug", listener.address, ...options.args];
  const [command, args] = sandbox?.wrap(path, debugged) ?? [path, debugged];
  const started = startGuarded(command, { ...options, args });
  void started.exited.then(() => {
    listener.close();
    sandbox?.close();
  });
  return { ...started, session: listener.accept(knownPid(started, sandbox !== undefined)) };
}

/**
 * The process id that the game reports. In a sandbox it differs, and only the game sees the socket; on Windows
 * the console build of Godot starts the game as a separate process.
 */
export function knownPid(
  { pid = 0 }: Pick<GuardedProcess, "pid">,
  isSandboxed: boolean,
  platform: NodeJS.Platform = process.platform,
): number | undefined {
  return isSandboxed || platform === "win32" ? undefined : pid;
}
