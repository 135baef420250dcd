import { systemClock } from "../src/clock.ts";
import { underFileLock } from "../src/oauth/file-lock.ts";

/** Takes a lock, says so, and keeps it until it is killed. */
const [path = ""] = process.argv.slice(2);
await underFileLock(path, { clock: systemClock, longestMs: 60_000 }, async () => {
  console.log("held");
  await new Promise(() => setInterval(() => undefined, 60_000));
});
