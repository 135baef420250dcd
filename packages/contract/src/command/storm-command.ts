import { readFile } from "node:fs/promises";
import { type Command, type CommandFailure, columns, commandFor, EXIT } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { visible } from "../guards/shown-text.ts";
import { digest, isJsonObject, type JsonObject, parseJson } from "../json.ts";
import { sampleArguments } from "../testing/sample-arguments.ts";
import type { globalOptions, Machine } from "./globals.ts";
import { CASES, type CaseResult, PROBLEMS, type StormTool, stormTool } from "./storm-cases.ts";
import { filesProbe, type Probe, sqliteProbe, urlProbe } from "./storm-probes.ts";
import { startServer } from "./storm-server.ts";

const command = commandFor<Machine, typeof globalOptions>();

export const stormCommand: Command<Machine> = command({
  name: "storm",
  describe: "Run an MCP server through lost answers, repeated calls, kills and a moved clock",
  details:
    "Calls each tool in a calm, then repeats the call after a lost answer, kills the server while it works, cancels, reads slowly, uses two clients and moves the clock. Probes show whether a call had an effect: the tools that acted twice, lost an effect, hung or crashed are reported, and the exit code is 1. Arguments come from the schemas, or from --args; $N in a text is a number that grows. Without --destructive only tools run that say that they read or do not destroy.",
  options: {
    files: { kind: "value", placeholder: "PATH", describe: "Probe: a file, or all files of a folder" },
    sqlite: { kind: "value", placeholder: "FILE=SQL", describe: "Probe: the rows of a query" },
    fetch: { kind: "value", placeholder: "URL", describe: "Probe: the answer of an address" },
    read: { kind: "value", placeholder: "TOOL", describe: "Probe: the answer of a tool of the server" },
    tools: { kind: "value", placeholder: "NAMES", describe: "Run only these tools, separated by commas" },
    args: {
      kind: "value",
      placeholder: "FILE",
      describe: "JSON with the arguments of each tool by its name",
    },
    destructive: { kind: "flag", describe: "Also run tools that may destroy: use a copy of your data" },
    timeout: {
      kind: "number",
      placeholder: "S",
      describe: "A server that is silent for so long hangs; 15 unless given",
      min: 1,
      max: 600,
    },
  },
  examples: [
    {
      line: "toolpact storm --files ./data --destructive -- npx -y @modelcontextprotocol/server-filesystem ./data",
      does: "runs every tool, and compares the files",
    },
  ],
  async run({ files, sqlite, fetch, read, tools, args: argsFile, destructive, timeout = 15 }, context) {
    const { server } = context.machine;
    if (server.length === 0) return failed({ message: "Name the server after --.", exitCode: EXIT.usage });
    const timeoutMs = timeout * 1_000;
    const rows = sqlite === undefined ? undefined : sqliteProbe(sqlite);
    if (rows?.ok === false) return failed({ message: rows.failure, exitCode: EXIT.usage });
    const probes: Probe[] = [
      ...(files === undefined ? [] : [filesProbe(files)]),
      ...(rows === undefined ? [] : [rows.value]),
      ...(fetch === undefined ? [] : [urlProbe(fetch)]),
      ...(read === undefined ? [] : [toolProbe(server, read, timeoutMs)]),
    ];
    const found = await toolsOf(server, timeoutMs);
    if (!found.ok) return found;
    const given = argsFile === undefined ? ok({}) : await argumentsIn(argsFile);
    if (!given.ok) return given;
    const wanted = tools?.split(",");
    const missing = wanted?.find((name) => found.value.every((tool) => tool.name !== name));
    if (missing !== undefined)
      return failed({ message: `The server has no tool ${JSON.stringify(missing)}.`, exitCode: EXIT.usage });
    const chosen = found.value.filter(({ name }) => wanted?.includes(String(name)) ?? true);
    const run = chosen.filter((tool) => destructive || isHarmless(tool));
    const skipped = chosen.filter((tool) => !run.includes(tool)).map(({ name }) => visible(String(name)));
    const results: { tool: string; cases: readonly CaseResult[] }[] = [];
    for (const definition of run) {
      const tool = stormToolOf(definition, given.value);
      if (!context.isJson) context.terminal.err(`${visible(tool.name)}…\n`);
      results.push({
        tool: visible(tool.name),
        cases: await stormTool(tool, { command: server, probes, timeoutMs }),
      });
      if (context.signal.aborted) break;
    }
    const hasProblem = results.some(({ cases }) =>
      cases.some(({ findings }) => findings.some((one) => PROBLEMS.has(one))),
    );
    const head = ["tool", ...CASES];
    const body = results.map(({ tool, cases }) => [
      tool,
      ...CASES.map((name) => cases.find((one) => one.name === name)?.findings.join(", ") || "ok"),
    ]);
    const notes = [
      ...(skipped.length === 0
        ? []
        : [
            `Left out, because they may destroy: ${skipped.join(", ")}. Add --destructive to run them on a copy.`,
          ]),
      ...(probes.length === 0 ? ["Without a probe no effect is seen."] : []),
    ];
    return ok({
      text: `${results.length === 0 ? "No tool was run.\n" : columns([head, ...body])}${notes.map((note) => `${note}\n`).join("")}`,
      json: {
        tools: results.map(({ tool, cases }) => ({
          tool,
          cases: cases.map(({ name, findings }) => ({ name, findings: [...findings] })),
        })),
        skipped,
      },
      exitCode: hasProblem ? EXIT.failed : EXIT.ok,
    });
  },
});

/** By the protocol, a tool may be destructive unless its hints deny it. */
function isHarmless({ annotations }: JsonObject): boolean {
  const hints = isJsonObject(annotations) ? annotations : {};
  return hints.readOnlyHint === true || hints.destructiveHint === false;
}

async function toolsOf(
  server: readonly string[],
  timeoutMs: number,
): Promise<Outcome<readonly JsonObject[], CommandFailure>> {
  const started = await startServer(server, timeoutMs);
  if (typeof started === "string") return failed({ message: `The server cannot be started: ${started}` });
  const listed = await started.request("tools/list", {});
  await started.close();
  const tools = listed.kind === "result" ? listed.result.tools : undefined;
  return Array.isArray(tools)
    ? ok(tools.filter(isJsonObject))
    : failed({ message: "The server does not list its tools." });
}

async function argumentsIn(file: string): Promise<Outcome<JsonObject, CommandFailure>> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  const parsed = text === undefined ? undefined : parseJson(text);
  return isJsonObject(parsed) ? ok(parsed) : failed({ message: `${file} has no JSON object.` });
}

function stormToolOf({ name, inputSchema }: JsonObject, given: JsonObject): StormTool {
  const own = given[String(name)];
  const samples = sampleArguments(isJsonObject(inputSchema) ? inputSchema : {});
  // The last sample has only the required arguments.
  const args = isJsonObject(own) ? own : (samples.at(-1) ?? {});
  let count = 0;
  return {
    name: String(name),
    isFresh: JSON.stringify(args).includes("$N"),
    args() {
      count += 1;
      // The text stays valid JSON, because a number needs no escaping.
      return JSON.parse(JSON.stringify(args).replaceAll("$N", String(count))) as JsonObject;
    },
  };
}

function toolProbe(server: readonly string[], tool: string, timeoutMs: number): Probe {
  return {
    name: tool,
    async read() {
      const started = await startServer(server, timeoutMs);
      if (typeof started === "string") return started;
      const answer = await started.request("tools/call", { name: tool, arguments: {} });
      await started.close();
      return digest(answer);
    },
  };
}
