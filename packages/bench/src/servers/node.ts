import { prebuilt } from "./ours/prebuilt.ts";

const surface = prebuilt.surface();

/** The floor: Node itself, with handwritten JSON-RPC, prepared answers and no checks. */
const results: Readonly<Record<string, object>> = {
  "server/discover": {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: "public",
  },
  "tools/list": { resultType: "complete", tools: surface.tools, ttlMs: 0, cacheScope: "public" },
  "tools/call": {
    resultType: "complete",
    content: [{ type: "text", text: '{"ok":true}' }],
    structuredContent: { ok: true },
  },
};
const texts = new Map<string, string>();

/** Undefined for a notification. */
function answer(line: string): string | undefined {
  const { id, method }: { id?: number; method: string } = JSON.parse(line);
  if (id === undefined) return undefined;
  let text = texts.get(method);
  if (text === undefined) {
    text = JSON.stringify(results[method] ?? {});
    texts.set(method, text);
  }
  return `{"jsonrpc":"2.0","id":${id},"result":${text}}`;
}

const [transport, port] = process.argv.slice(2);
if (transport === "http") {
  const { createServer } = await import("node:http");
  createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (part: string) => {
      body += part;
    });
    request.on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end(answer(body));
    });
  }).listen(Number(port), "127.0.0.1", () => console.log("ready"));
} else {
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (part: string) => {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const text = answer(line);
      if (text !== undefined) process.stdout.write(`${text}\n`);
    }
  });
}
