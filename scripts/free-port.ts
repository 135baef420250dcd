import { once } from "node:events";
import { createServer } from "node:net";
import { threadId } from "node:worker_threads";

/**
 * For servers that need their port before they start. It is below the range of `listen(0)` and outgoing
 * connections.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % (END - FIRST));
    const probe = createServer().listen(port, "127.0.0.1");
    const isFree = await once(probe, "listening").then(
      () => true,
      () => false,
    );
    probe.close();
    if (!isFree) continue;
    await once(probe, "close");
    return port;
  }
}

const FIRST = 10_000;
const END = 32_000;
const PER_PROCESS = 61;
let next = (process.pid + 97 * threadId) * PER_PROCESS;
