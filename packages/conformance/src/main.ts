import { parseArgs } from "node:util";
import { serveHttp } from "@toolpact/contract/http";
import { conformanceApp } from "./app.ts";

const port =
  portAskedFor() ?? stop("Give at most --port with a number from 0 to 65535; 0 takes any free one.");
const serving = await serveHttp(conformanceApp(), { port }).catch((error) =>
  stop(
    error.code === "EADDRINUSE"
      ? `Port ${port} is taken: give another with --port.`
      : `Cannot serve: ${error.message}`,
  ),
);

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void serving.close().then(() => process.exit(0)));

console.log(`Toolpact's conformance server is running: the tools, resources and prompts that the official MCP
conformance suite calls, over HTTP, for clients of both eras of the protocol.

  URL          ${serving.url}
  Claude Code  claude mcp add --transport http toolpact-conformance ${serving.url}

Ctrl-C ends it.`);

function portAskedFor(): number | undefined {
  try {
    const { values } = parseArgs({ options: { port: { type: "string", default: "0" } } });
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN;
    return port <= 65535 ? port : undefined;
  } catch {
    return undefined;
  }
}

function stop(why: string): never {
  console.error(why);
  process.exit(1);
}
