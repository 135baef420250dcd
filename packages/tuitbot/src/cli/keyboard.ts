import type { ReadStream } from "node:tty";

/** The next key, without Enter. Ctrl-C stops the program as everywhere else; Ctrl-D is the end. */
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
