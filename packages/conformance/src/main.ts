import { parseArgs } from "node:util";
import { serveHttp } from "@toolpact/contract/http";
import { conformanceApp } from "./app.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "0" } } });
const port = Number(values.port);
if (!/^\d+$/.test(values.port) || port > 65535)
  stop(`--port wants a number from 0 to 65535 (0 takes any free one), not ${values.port}.`);

const serving = await serveHttp(conformanceApp(), { port, legacySessions: true }).catch((error) =>
  stop(
    error.code === "EADDRINUSE"
      ? `Port ${port} is taken: give another with --port.`
      : `Cannot serve: ${error.message}`,
  ),
);

console.log(`Toolpact's conformance server: every fixture of the official MCP conformance suite, over HTTP.

  URL          ${serving.url}
  Claude Code  claude mcp add --transport http toolpact-conformance ${serving.url}

Ctrl-C ends it.`);

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void serving.close().then(() => process.exit(0)));

function stop(why: string): never {
  console.error(why);
  process.exit(1);
}
