import { serveHttp } from "@toolpact/contract/http";
import { app } from "./app.ts";

await serveHttp(app, { port: Number(process.argv[3]) });
console.log("ready");
