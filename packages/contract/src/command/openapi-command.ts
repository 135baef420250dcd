import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { type Command, columns, commandFor } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { McpApp } from "../mcp/app.ts";
import type { Credential } from "../openapi/credential.ts";
import type { OpenApiTools } from "../openapi/index.ts";
import { costOf } from "../surface.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

const MAX_BYTES = 50_000_000;
/** Unused: no request is sent. */
const NOWHERE = "http://localhost";

export const openApiCommand: Command<Machine> = command({
  name: "openapi",
  describe: "List the tools that an OpenAPI document makes, or serve them",
  details:
    "Every operation is a tool. GET and HEAD read, POST creates, PUT and PATCH overwrite, DELETE deletes; --reads names operations that only read although their method says otherwise. Requests go to the address that --serve names and nowhere else, whatever the document says.",
  args: { file: { describe: "OpenAPI 3.0 or 3.1, as JSON or YAML", required: true } },
  options: {
    list: { kind: "flag", describe: "Print name, effect and cost of every tool; so it does without --serve" },
    serve: {
      kind: "value",
      placeholder: "URL",
      describe: "Serve the tools on stdio, for the API at this address",
    },
    "bearer-env": {
      kind: "value",
      placeholder: "NAME",
      describe: "The environment variable with the token that requests carry",
    },
    "header-env": {
      kind: "value",
      placeholder: "HEADER=NAME",
      describe: "The header of an API key, and the environment variable that holds it",
    },
    tags: { kind: "list", placeholder: "TAGS", describe: "Only operations with one of these tags" },
    methods: { kind: "list", placeholder: "METHODS", describe: "Only operations with one of these methods" },
    ids: { kind: "list", placeholder: "IDS", describe: "Only operations with these operationIds" },
    reads: {
      kind: "list",
      placeholder: "IDS",
      describe: "operationIds that only read, such as a search by POST",
    },
  },
  examples: [
    { line: "toolpact openapi shop.yaml --list", does: "shows what an agent would get, and what it costs" },
    {
      line: "toolpact openapi shop.yaml --serve https://api.shop.example --bearer-env SHOP_TOKEN --methods get",
      does: "serves what only reads",
    },
  ],
  async run(given, { terminal }) {
    const { file, serve, list } = given;
    if (serve !== undefined && list) return failed({ message: "Give --list or --serve, not both." });
    const auth = credentialOf(given["bearer-env"], given["header-env"]);
    if (!auth.ok) return failed({ message: auth.failure });
    const text = await readText(file);
    if (!text.ok) return failed({ message: text.failure });
    const { openApiApp } = await import("../openapi/app.ts");
    const made = await openApiApp(text.value, {
      name: basename(file, extname(file)),
      version: "1.0.0",
      baseUrl: serve ?? NOWHERE,
      ...(auth.value && { auth: auth.value }),
      only: {
        ...(given.tags && { tags: given.tags }),
        ...(given.methods && { methods: given.methods }),
        ...(given.ids && { ids: given.ids }),
      },
      operations: Object.fromEntries((given.reads ?? []).map((id) => [id, { effect: "none" as const }])),
    });
    if (!made.ok) return failed({ message: `${file}: ${made.failure}` });
    if (serve === undefined) return ok(listed(made.value));
    for (const { operation, why } of made.value.skipped) terminal.err(`Left out ${operation}: ${why}.\n`);
    const { serveStdio } = await import("../mcp/stdio.ts");
    serveStdio(made.value.app);
    return ok(undefined);
  },
});

function listed({ tools, skipped, app }: OpenApiTools & { readonly app: McpApp }) {
  const facts = new Map(tools.map((tool) => [tool.name, tool]));
  const rows = app.surface.tools.map((entry) => {
    const name = String(entry.name);
    const tool = facts.get(name);
    const { method = "", path = "" } = tool?.facts ?? {};
    return { tool: name, effect: tool?.effects[0] ?? "none", tokens: costOf(entry).tokens, method, path };
  });
  const total = costOf(app.surface.tools);
  const text = [
    columns(
      rows.map(({ tool, effect, tokens, method, path }) => [
        tool,
        effect,
        String(tokens),
        `${method} ${path}`,
      ]),
    ).trimEnd(),
    ...skipped.map(({ operation, why }) => `left out: ${operation}: ${why}`),
    `${rows.length} tools, about ${total.tokens} tokens; ${skipped.length} operations left out`,
  ].join("\n");
  return { text, json: { tools: rows, total, skipped: skipped.map((one) => ({ ...one })) } };
}

function credentialOf(
  bearer: string | undefined,
  header: string | undefined,
): Outcome<Credential | undefined, string> {
  if (bearer !== undefined && header !== undefined)
    return failed("Give --bearer-env or --header-env, not both.");
  if (bearer !== undefined) return ok({ bearer: { env: bearer } });
  if (header === undefined) return ok(undefined);
  const [, name, env] = /^([\w-]+)=(\w+)$/.exec(header) ?? [];
  return name === undefined || env === undefined
    ? failed("--header-env takes the name of a header and of an environment variable: X-Api-Key=SHOP_KEY.")
    : ok({ header: name, value: { env } });
}

async function readText(file: string): Promise<Outcome<string, string>> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) return failed(`${file} has ${size} bytes; no more than ${MAX_BYTES} are read.`);
    return ok(await readFile(file, "utf8"));
  } catch (error) {
    return failed(`${file} cannot be read: ${(error as Error).message}`);
  }
}
