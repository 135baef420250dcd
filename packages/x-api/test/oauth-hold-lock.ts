import { withFileLock } from "@toolpact/file-lock";

/** Holds the lock until killed. */
const [path = ""] = process.argv.slice(2);
await withFileLock(path, { giveUpMs: 60_000 }, async () => {
  console.log("held");
  await new Promise(() => setInterval(() => undefined, 60_000));
});
