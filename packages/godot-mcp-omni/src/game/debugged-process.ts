import { listenForGame } from "./debugger/listener.ts";
import type { Session } from "./debugger/session.ts";
import { type GuardedOptions, type GuardedProcess, startGuarded } from "./guarded-process.ts";
import type { Sandbox } from "./sandbox.ts";

/** A Godot process with this server as its debugger. */
export interface DebuggedProcess extends GuardedProcess {
  /** Never resolves where the process ends before it connects. */
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
  // In a sandbox its process id is another; nothing else sees the socket there.
  return { ...started, session: listener.accept(sandbox === undefined ? (started.pid ?? 0) : undefined) };
}
