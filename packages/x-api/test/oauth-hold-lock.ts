import { withFileLock } from "@toolpact/file-lock";

/** Takes a lock, says so, and keeps it until it is killed. */
const [path = ""] = process.argv.slice(2);
await withFileLock(path, { giveUpMs: 60_000 }, async () => {
  console.log("held");
  await new Promise(() => setInterval(() => undefined, 60_000));
});
