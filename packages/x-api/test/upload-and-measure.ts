import { ok } from "@toolpact/outcome";
import { createXClient } from "../src/client.ts";
import { uploadMedia } from "../src/media/upload.ts";

/** Uploads a file and prints the peak memory increase of the process. */
const [baseUrl = "", path = ""] = process.argv.slice(2);
const token = async () => ok("t");
const client = createXClient({ baseUrl, tokens: { userToken: token, appToken: token, rejected: token } });

// The first request loads code and opens the connection, which is not part of the upload.
await client.call("getUsersMe");
globalThis.gc?.();
const before = process.memoryUsage.rss();
let most = before;
const outcome = await uploadMedia(client, {
  path,
  onProgress: () => (most = Math.max(most, process.memoryUsage.rss())),
});
console.log(JSON.stringify({ grownMiB: Math.round((most - before) / 1024 / 1024), outcome }));
