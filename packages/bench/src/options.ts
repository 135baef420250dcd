import { parseArgs } from "node:util";
import { failed, type Outcome, ok } from "@toolpact/outcome";

export interface BenchOptions {
  readonly help: boolean;
  /** A smoke test, not a measurement. */
  readonly quick: boolean;
  /** All if empty. */
  readonly only: readonly string[];
  /** The report has median, minimum and maximum. */
  readonly runs: number;
  readonly json: string | undefined;
  readonly docs: boolean;
}

export function helpText(names: readonly string[]): string {
  return `Measures what the packages of this workspace cost, each against its peers, in one run.

  npm run bench -- [options]
  npm run bench -- godot-scenes [DIR]   edits and undoes every scene of a folder of projects instead; see its --help
  npm run bench -- godot-properties     sets every property of every class of Godot in every mode; see its --help
  npm run bench -- compare              what other frameworks answer to the same calls, good and bad
  npm run bench -- runtimes             serves from Bun, Deno and workerd, fetched from npm, to the official client

  --quick        few repetitions: shows that everything runs, not how fast
  --only NAME    measure only this (may be given several times): ${names.join(", ")}
  --runs N       measure everything so often: the median, and from least to most; a goal is met if every run meets it
  --json FILE    write the result as JSON too
  --docs         write docs/performance.md and its chart from the result; with --only SECTION or servers just their tables
  --help         show this`;
}

export function parseOptions(
  args: readonly string[],
  names: readonly string[],
  sections: readonly string[] = [],
): Outcome<BenchOptions, string> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: "boolean", default: false },
        quick: { type: "boolean", default: false },
        only: { type: "string", multiple: true, default: [] },
        runs: { type: "string", default: "1" },
        json: { type: "string" },
        docs: { type: "boolean", default: false },
      },
    });
    const unknown = values.only.find((name) => !names.includes(name));
    if (unknown !== undefined)
      return failed(`There is nothing named ${unknown} to measure. There is: ${names.join(", ")}.`);
    if (values.docs && (values.quick || values.only.some((name) => !sections.includes(name))))
      return failed(
        `The documentation shows a full run, or whole sections of it: give --docs without --quick, and with --only for these alone: ${sections.join(", ")}.`,
      );
    const runs = Number(values.runs);
    if (!Number.isInteger(runs) || runs < 1 || runs > 20)
      return failed(`--runs takes a number from 1 to 20, not ${values.runs}.`);
    return ok({ ...values, runs, json: values.json });
  } catch (error) {
    return failed(`${(error as Error).message} See --help.`);
  }
}
