import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { type Command, commandFor } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import { type LintedSurface, type LintFinding, type LintResult, lint } from "../lint/lint.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

export const lintCommand: Command<Machine> = command({
  name: "lint",
  describe: "Check names, descriptions, schemas and cost of a server's tools",
  details:
    "Errors are what clients refuse, drop or cut; warnings are what models and people read worse for. It exits with 1 where there is an error, with --strict also where there is a warning.",
  args: {
    file: { describe: "A module that exports an app, or JSON as tools/list answers it", required: false },
  },
  options: {
    command: {
      kind: "value",
      placeholder: "LINE",
      describe: "Start any MCP server on stdio and lint its definitions",
    },
    strict: { kind: "flag", describe: "Exit with 1 for warnings too" },
  },
  examples: [
    { line: "toolpact lint src/app.ts", does: "checks the app that the module exports" },
    { line: 'toolpact lint --command "npx -y some-server"', does: "checks any server on stdio" },
    { line: "toolpact lint tools.json --output json", does: "prints findings and costs as JSON" },
  ],
  async run({ file, command: line, strict }) {
    if ((file === undefined) === (line === undefined))
      return failed({
        message: "Name a file, or a server with --command.",
        fix: "See toolpact lint --help.",
      });
    const surface = line === undefined ? await loadSurface(file ?? "") : await listTools(line);
    if (!surface.ok) return failed({ message: surface.failure });
    const result = lint(surface.value);
    const isWrong = result.findings.some(({ level }) => strict || level === "error");
    return ok({ text: lintText(result), json: { ...result }, exitCode: isWrong ? 1 : 0 });
  },
});

function lintText({ findings, costs, total }: LintResult): string {
  const count = (level: LintFinding["level"]) => findings.filter((finding) => finding.level === level).length;
  const dearest = [...costs].sort((a, b) => b.bytes - a.bytes);
  return [
    ...findings.map(
      ({ level, rule, tool, message }) =>
        `${level}  ${tool === undefined ? "" : `${tool}: `}${message} (${rule})`,
    ),
    ...(findings.length > 0 ? [""] : []),
    `${costs.length} tools, ${total.bytes} bytes, about ${total.tokens} tokens:`,
    ...dearest.map(({ tool, tokens }) => `${String(tokens).padStart(7)}  ${tool}`),
    `${count("error")} errors, ${count("warning")} warnings`,
  ].join("\n");
}

const PATIENCE_MS = 60_000;
const MAX_PAGES = 100;

async function listTools(command: string): Promise<Outcome<LintedSurface, string>> {
  const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"], detached: true });
  const waiting = new Map<number, (answer: JsonObject) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = parsed(line);
    if (typeof message?.id === "number") waiting.get(message.id)?.(message);
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<never>((_resolve, reject) => {
    child.once("exit", () => reject(new Error("The server ended before it had answered.")));
    setTimeout(
      () => reject(new Error(`The server did not answer within ${PATIENCE_MS / 1_000} seconds.`)),
      PATIENCE_MS,
    ).unref();
  });
  let id = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = async (method: string, params: object): Promise<JsonObject> => {
    const own = ++id;
    const answer = new Promise<JsonObject>((resolve) => waiting.set(own, resolve));
    send({ id: own, method, params });
    const { result, error } = await Promise.race([answer, ended]);
    if (result === undefined) throw new Error(`The server refused ${method}: ${JSON.stringify(error)}`);
    return result as JsonObject;
  };
  try {
    const { instructions } = await ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "toolpact", version: "1" },
    });
    send({ method: "notifications/initialized" });
    const tools: JsonObject[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const listed = await ask("tools/list", cursor === undefined ? {} : { cursor });
      // `tools/list` answers with a list of objects.
      tools.push(...((listed.tools ?? []) as unknown as JsonObject[]));
      cursor = listed.nextCursor;
      if (cursor === undefined) break;
    }
    return ok({ tools, instructions: typeof instructions === "string" ? instructions : "" });
  } catch (error) {
    return failed((error as Error).message);
  } finally {
    ended.catch(() => {});
    endGroup(child.pid);
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid);
  } catch {
    // Already exited.
  }
}

function parsed(line: string): JsonObject | undefined {
  const message = parseJson(line);
  return isJsonObject(message) ? message : undefined;
}

/** Loads JSON in the format of `tools/list`, or a module that exports an app. */
async function loadSurface(file: string): Promise<Outcome<LintedSurface, string>> {
  const path = resolve(file);
  try {
    if (path.endsWith(".json")) {
      const json = JSON.parse(await readFile(path, "utf8"));
      const found = [json, json?.result].find(isSurface);
      return found === undefined
        ? failed(`${file} has no list of tools with an inputSchema each, as tools/list answers it.`)
        : ok(found);
    }
    const exported = await import(pathToFileURL(path).href);
    const app = Object.values(exported).find((value) => isSurface((value as HasSurface | null)?.surface));
    return app === undefined
      ? failed(`${file} exports no app. Export it, or lint the running server with --command.`)
      : ok((app as { readonly surface: LintedSurface }).surface);
  } catch (error) {
    return failed(`${file} cannot be loaded: ${(error as Error).message}`);
  }
}

interface HasSurface {
  readonly surface?: unknown;
}

function isSurface(value: unknown): value is LintedSurface {
  const tools = (value as { readonly tools?: unknown } | null | undefined)?.tools;
  return (
    Array.isArray(tools) &&
    tools.every((tool) => typeof tool === "object" && tool !== null && "inputSchema" in tool)
  );
}
