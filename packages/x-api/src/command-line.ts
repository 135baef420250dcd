import { parseArgs } from "node:util";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { readSpec, type Spec } from "./operations/read-spec.ts";
import { specHash, specVersion, table } from "./operations/table.gen.ts";
import { diffOperations, isSame } from "./spec-diff.ts";
import { specDiffText } from "./spec-diff-text.ts";

/** What the command line touches outside itself. */
export interface Surroundings {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly readFile: (path: string) => Promise<string>;
  /** Version of this package. */
  readonly version: () => Promise<string>;
  /** Whether the output is a terminal that wants colour. */
  readonly isColored: boolean;
}

const usage = `Compare X's API as this version knows it (OpenAPI ${specVersion}) with another OpenAPI file.

Usage
  x-api spec diff <file> [--json]

Options
  --json       Print the difference as JSON
  -h, --help   Show this help
  --version    Show the version

Examples
  x-api spec diff openapi.json
  x-api spec diff openapi.json --json | jq '.added[].id'

Exit codes
  0  the file describes the same operations
  1  there are differences
  2  the command or the file could not be understood

Colours are left out when NO_COLOR is set or the output is not a terminal.
`;

/** Run `x-api` with these arguments; answers with the exit code. */
export async function commandLine(args: readonly string[], around: Surroundings): Promise<0 | 1 | 2> {
  const read = readArgs(args);
  if (!read.ok) return refuse(around, read.failure);
  const { values, positionals } = read.value;
  if (values.version) {
    around.out(`x-api ${await around.version()} (X API ${specVersion})\n`);
    return 0;
  }
  if (values.help || positionals.length === 0) {
    around.out(usage);
    return 0;
  }
  const [group, verb, file, ...rest] = positionals;
  if (group !== "spec" || verb !== "diff")
    return refuse(around, `There is no command "${positionals.join(" ")}", only spec diff <file>`);
  if (file === undefined) return refuse(around, "Name the OpenAPI file to compare with");
  if (rest.length > 0) return refuse(around, "Name one file only");

  const spec = await specFrom(file, around);
  if (!spec.ok) return refuse(around, spec.failure);
  const diff = diffOperations(Object.values(table), spec.value.operations);
  const from = { version: specVersion, sha256: specHash };
  const to = { version: spec.value.version, sha256: spec.value.hash };
  around.out(
    values.json
      ? `${JSON.stringify({ from, to, ...diff }, null, 2)}\n`
      : `X API ${from.version} → ${to.version}: ${specDiffText(diff, around.isColored)}\n`,
  );
  return isSame(diff) ? 0 : 1;
}

function readArgs(args: readonly string[]) {
  try {
    return ok(
      parseArgs({
        args: [...args],
        allowPositionals: true,
        options: {
          json: { type: "boolean", default: false },
          help: { type: "boolean", short: "h", default: false },
          version: { type: "boolean", default: false },
        },
      }),
    );
  } catch (cause) {
    // The first sentence names the option; the rest is advice for other programs.
    return failed(String(cause instanceof Error ? cause.message : cause).split(/\.\s/)[0] ?? "");
  }
}

async function specFrom(file: string, around: Surroundings): Promise<Outcome<Spec, string>> {
  const text = await around.readFile(file).catch(() => undefined);
  if (text === undefined) return failed(`Cannot read ${file}: name a file that exists and can be read`);
  const spec = readSpec(text);
  return spec.ok ? spec : failed(`${file}: ${spec.failure}`);
}

function refuse(around: Surroundings, problem: string): 2 {
  around.error(`x-api: ${problem}. See x-api --help.\n`);
  return 2;
}
