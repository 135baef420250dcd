import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { bundle } from "../../../../scripts/bundle.ts";
import { buildXmcp, fetchXmcp } from "../build-xmcp.ts";
import { probes } from "./probe-tools.ts";

/**
 * `npm run bench -- compare` makes equal calls to every framework. Rows of docs/compared.md marked "ran" come
 * from it.
 */
const SERVERS = ["sdk-v2", "fastmcp", "mcp-ts-core", "toolpact"];
const QUESTIONS = [
  "protocol, a client of 2026",
  "protocol, a client of 2025",
  "a wrong argument",
  "an unknown argument",
  "a tool that throws",
  "200,000 letters",
  "the same call again",
  "a misspelt tool",
];

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = here("../../dist/compare");
const columns = new Map<string, readonly string[]>();
await rm(folder, { recursive: true, force: true });
await bundle({
  entries: Object.fromEntries(SERVERS.map((name) => [name, here(`${name}.ts`)])),
  outdir: folder,
  packages: "external",
});
for (const name of SERVERS) columns.set(name, await askedOf(join(folder, `${name}.js`)));
const missing = await fetchXmcp();
if (missing === undefined) columns.set("xmcp", await askedOf(await xmcpServer()));
else console.error(`LEFT OUT: ${missing}`);

console.log(`| | ${[...columns.keys()].join(" | ")} |\n|---|${"---|".repeat(columns.size)}`);
for (const [index, question] of QUESTIONS.entries())
  console.log(`| ${question} | ${[...columns.values()].map((answers) => answers[index]).join(" | ")} |`);

async function xmcpServer(): Promise<string> {
  const toolFile = (
    name: "boom" | "large",
    body: string,
  ) => `import { fail, probeInput, probes, text } from "../probe-tools";
export const schema = probeInput.shape;
export const metadata = { name: "${name}", description: probes.${name}.description };
export default async function run() { ${body} }
`;
  const built = await buildXmcp(
    { boom: toolFile("boom", "return fail();"), large: toolFile("large", "return text();") },
    here("probe-tools.ts"),
  );
  const own = join(folder, "xmcp");
  await cp(built, own, { recursive: true });
  return join(own, "stdio.js");
}

async function askedOf(script: string): Promise<readonly string[]> {
  const legacy = await connected(script, "legacy");
  const old = legacy.getNegotiatedProtocolVersion() ?? "none";
  await legacy.close();
  const client = await connected(script, "auto");
  const answers = [client.getNegotiatedProtocolVersion() ?? "none", old];
  for (const [tool, args] of [
    ["boom", { n: "x" }],
    ["boom", { n: 1, m: 2 }],
    ["boom", { n: 1 }],
    ["large", { n: 1 }],
    ["large", { n: 1 }],
    ["boon", { n: 1 }],
  ] as const)
    answers.push(await answerOf(client, tool, args));
  await client.close();
  return answers;
}

async function connected(script: string, mode: "auto" | "legacy"): Promise<Client> {
  const client = new Client({ name: "compare", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [script], stderr: "ignore" }),
  );
  return client;
}

async function answerOf(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  try {
    const result = await client.callTool({ name, arguments: args });
    const text = JSON.stringify(result);
    if (!result.isError) return `answered, ${text.length} bytes`;
    // Structured content is an object whose fields depend on the framework.
    const { error } = (result.structuredContent ?? {}) as { readonly error?: { readonly code?: unknown } };
    const code = error?.code === undefined ? "text alone" : `code \`${error.code}\``;
    return `failed, ${code}${text.includes(probes.boom.secret) ? ", secret shown" : ""}`;
  } catch (error) {
    const { message, code } = error as Error & { readonly code?: unknown };
    return `protocol error ${code}${/did you mean/i.test(message) ? ", with a suggestion" : ""}`;
  }
}
