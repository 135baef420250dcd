import { listenForGame } from "./debugger/listener.ts";
import type { Session } from "./debugger/session.ts";
import { type GuardedOptions, type GuardedProcess, startGuarded } from "./guarded-process.ts";

/** A Godot with this server as its debugger. */
export interface DebuggedProcess extends GuardedProcess {
  /** Never resolves where the process ends before it connects. */
  readonly session: Promise<Session>;
}

export async function startDebugged(path: string, options: GuardedOptions): Promise<DebuggedProcess> {
  const listener = await listenForGame();
  const started = startGuarded(path, {
    ...options,
    args: ["--remote-debug", `tcp://127.0.0.1:${listener.port}`, ...options.args],
  });
  void started.exited.then(() => listener.close());
  return { ...started, session: listener.accept(started.pid ?? 0) };
}
