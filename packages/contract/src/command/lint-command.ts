import { type Command, commandFor } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { type LintFinding, type LintResult, lint } from "../lint/lint.ts";
import type { globalOptions, Machine } from "./globals.ts";
import { listTools } from "./list-tools.ts";
import { loadSurface } from "./load-surface.ts";

const command = commandFor<Machine, typeof globalOptions>();

/** `toolpact lint` */
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
      describe: "Start this MCP server on stdio and lint what it lists, whoever wrote it",
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
