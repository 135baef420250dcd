import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

const KEPT_STDERR = 2000;
const PATIENCE_MS = 2000;

/** Error messages contain its last stderr output. */
export class ServerProcess {
  readonly child: ChildProcess;
  private said = "";
  /** Rejects when the server ends or cannot be started; never resolves. */
  readonly failure: Promise<never>;

  constructor(script: string, args: readonly string[]) {
    this.child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "pipe"] });
    this.child.stderr?.on("data", (part: Buffer) => {
      this.said = (this.said + part).slice(-KEPT_STDERR);
    });
    // Writing to a server that has exited is reported through `failure`.
    this.child.stdin?.on("error", () => {});
    this.failure = new Promise((_, reject) => {
      this.child.once("error", reject);
      this.child.once("exit", (code, signal) =>
        reject(new Error(`${script} ended (${signal ?? code}): ${this.said}`)),
      );
    });
    this.failure.catch(() => {});
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Closes its stdin, as a client does, and kills it if that fails. */
  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, "exit");
    this.child.stdin?.end();
    const terminate = setTimeout(() => this.child.kill("SIGTERM"), PATIENCE_MS);
    const kill = setTimeout(() => this.child.kill("SIGKILL"), 2 * PATIENCE_MS);
    await gone;
    clearTimeout(terminate);
    clearTimeout(kill);
  }
}
