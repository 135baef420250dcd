import { commandFor, commonOptions, type Program } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import packageJson from "../../package.json" with { type: "json" };
import { readSpec } from "../operations/read-spec.ts";
import { specHash, specVersion, table } from "../operations/table.gen.ts";
import { diffOperations, isSame, specDiffText } from "./spec-diff.ts";

export interface Machine {
  readonly readFile: (path: string) => Promise<string>;
}

const globalOptions = {
  json: { kind: "flag", describe: "The same as --output json" },
  ...commonOptions,
} as const;

const command = commandFor<Machine, typeof globalOptions>();

const diff = command({
  name: "diff",
  describe: `Compare X's API as this version knows it (OpenAPI ${specVersion}) with another OpenAPI file`,
  args: { file: { describe: "X's OpenAPI file, as from https://api.x.com/2/openapi.json", required: true } },
  examples: [
    { line: "x-api spec diff openapi.json", does: "lists what was added, removed and changed" },
    { line: "x-api spec diff openapi.json --json | jq '.added[].id'", does: "prints the new operations" },
  ],
  async run({ file }, { machine, terminal }) {
    const text = await machine.readFile(file).catch(() => undefined);
    if (text === undefined)
      return failed({ message: `Cannot read ${file}.`, fix: "Name a file that exists and can be read." });
    const spec = readSpec(text);
    if (!spec.ok) return failed({ message: `${file}: ${spec.failure}.`, fix: "See x-api spec diff --help." });
    const difference = diffOperations(Object.values(table), spec.value.operations);
    const from = { version: specVersion, sha256: specHash };
    const to = { version: spec.value.version, sha256: spec.value.hash };
    return ok({
      text: `X API ${from.version} → ${to.version}: ${specDiffText(difference, terminal)}`,
      json: { from, to, ...difference },
      exitCode: isSame(difference) ? 0 : 1,
    });
  },
});

export const program: Program<Machine> = {
  name: "x-api",
  version: `x-api ${packageJson.version} (X API ${specVersion})`,
  describe: "Compare X's API as this version knows it with another OpenAPI file.",
  globalOptions,
  examples: diff.examples,
  commands: [
    {
      name: "spec",
      describe: "Work with X's OpenAPI specification",
      examples: diff.examples,
      commands: [diff],
    },
  ],
  exitCodes: [
    [0, "the file describes the same operations"],
    [1, "there are differences"],
    [2, "the command line is wrong, or the file cannot be read"],
  ],
  failureCode: 2,
};
