import type { ReadStream } from "node:tty";

/** Waits for a key, without Enter. Ctrl-C stops the program; Ctrl-D is undefined, like no input. */
export function readKey(stdin: ReadStream, signal: AbortSignal): Promise<string | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const end = (key: string | undefined) => {
      stdin.off("data", onData);
      signal.removeEventListener("abort", onAbort);
      stdin.setRawMode(false);
      stdin.pause();
      resolve(key);
    };
    const onAbort = () => end(undefined);
    const onData = (bytes: Buffer) => {
      const key = bytes.toString("utf8");
      if (key === CTRL_C) {
        // In raw mode the terminal does not send the signal itself.
        process.kill(process.pid, "SIGINT");
        return;
      }
      end(key === CTRL_D ? undefined : key.toLowerCase());
    };
    stdin.setRawMode(true);
    stdin.resume();
    stdin.on("data", onData);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
