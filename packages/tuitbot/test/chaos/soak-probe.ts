/** Loaded into a server before its own code: reports on stderr what the process holds whenever it gets SIGUSR2. */
import type { Held } from "./soak.ts";

process.on("SIGUSR2", () => {
  // Twice: the first collection may leave what finalizers release.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  const timers = resources.filter((name) => name === "Timeout" || name === "Immediate").length;
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const held: Held = {
    heap: heapUsed,
    rss,
    timers,
    handles: resources.length - timers,
    listeners,
  };
  process.stderr.write(`soak ${JSON.stringify(held)}\n`);
});
