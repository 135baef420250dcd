import type { Clock } from "@toolpact/contract";
import { listenForGame } from "../debugger/listener.ts";
import type { Session } from "../debugger/session.ts";
import { type GuardedProcess, startGuarded } from "../game/guarded-process.ts";

export interface DebuggedOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** A Godot with this server as its debugger. */
export interface DebuggedGodot extends GuardedProcess {
  /** Never resolves where it ends before it has dialled in. */
  readonly session: Promise<Session>;
}

export async function startDebugged(path: string, options: DebuggedOptions): Promise<DebuggedGodot> {
  const listener = await listenForGame();
  const started = startGuarded(path, {
    ...options,
    args: ["--remote-debug", `tcp://127.0.0.1:${listener.port}`, ...options.args],
  });
  void started.exited.then(() => listener.close());
  return { ...started, session: listener.accept(started.pid ?? 0) };
}
