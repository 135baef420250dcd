import { ok } from "@toolpact/outcome";
import { createXClient } from "../src/client.ts";
import { uploadMedia } from "../src/media/upload.ts";

/** Prints the peak memory increase. */
const [baseUrl = "", path = ""] = process.argv.slice(2);
const token = async () => ok("t");
const client = createXClient({ baseUrl, tokens: { userToken: token, appToken: token, rejected: token } });

// Loads code and opens the connection first.
await client.call("getUsersMe");
globalThis.gc?.();
const before = process.memoryUsage.rss();
let most = before;
const outcome = await uploadMedia(client, {
  path,
  onProgress: () => (most = Math.max(most, process.memoryUsage.rss())),
});
console.log(JSON.stringify({ grownMiB: Math.round((most - before) / 1024 / 1024), outcome }));
