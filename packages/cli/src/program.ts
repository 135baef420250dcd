import { failed, type Outcome, ok } from "@toolpact/outcome";
import { type Command, type CommandFailure, type CommandOutcome, EXIT, type Options } from "./command.ts";
import { withCompletion } from "./completion.ts";
import { helpText } from "./help.ts";
import { nearest } from "./nearest.ts";
import { firstWord, readArguments } from "./read-arguments.ts";
import { paint, type Terminal } from "./terminal.ts";

/** A root command with subcommands and global options. `completion` is added. */
export interface Program<Machine> extends Command<Machine> {
  /** Printed by `--version`. */
  readonly version: string;
  /** Allowed before and after the command's name. */
  readonly globalOptions: Options;
  /** As listed in help. */
  readonly exitCodes?: readonly (readonly [code: number, meaning: string])[];
  /** Default 1. */
  readonly failureCode?: number;
}

/** Every program has these. */
export const commonOptions = {
  output: {
    kind: "value",
    placeholder: "FORMAT",
    describe: "Output format",
    choices: ["text", "json"],
  },
  help: { kind: "flag", short: "h", describe: "Show help" },
  version: { kind: "flag", describe: "Print the version" },
} as const satisfies Options;

/** Resolves to the exit code. Rejects only because of a bug. */
export async function runProgram<Machine>(
  declared: Program<Machine>,
  words: readonly string[],
  terminal: Terminal,
  machine: Machine,
  signal: AbortSignal,
): Promise<number> {
  const program = withCompletion(declared);
  const isJson = wantsJson(program, words);
  const print = (text: string, json: unknown) =>
    terminal.out(isJson ? `${JSON.stringify(json, null, 2)}\n` : text && `${text.replace(/\n$/, "")}\n`);
  const fail = ({ message, fix, exitCode = program.failureCode ?? EXIT.failed }: CommandFailure) => {
    if (isJson) print("", { error: { message, fix } });
    else
      terminal.err(
        `${program.name}: ${paint(terminal, "red", message)}${fix === undefined ? "" : ` ${fix}`}\n`,
      );
    return exitCode;
  };

  const found = findCommand(program, words);
  if (!found.ok) return fail(found.failure);
  const { command, path, rest } = found.value;
  if (path.length === 0 && rest.includes("--version")) {
    print(program.version, { version: program.version });
    return EXIT.ok;
  }
  const isHelp = asksForHelp(rest);
  const options = { ...program.globalOptions, ...command.options };
  const input = isHelp ? ok({}) : readArguments(rest, command.args ?? {}, options);
  if (!input.ok) return fail(usageFailure(program, path, input.failure));
  if (isHelp || command.run === undefined) {
    terminal.out(helpText(program, path, command, terminal));
    return EXIT.ok;
  }
  const context = { terminal, machine, globals: input.value, isJson, signal };
  const outcome = await command.run(input.value, context).catch((error): CommandOutcome => {
    // An interrupted command may reject; any other rejection is a bug.
    if (signal.aborted) return ok(undefined);
    throw error;
  });
  // A server is usually stopped by a signal, and then reports its own exit code.
  if (signal.aborted && !(outcome.ok && outcome.value?.exitCode !== undefined)) return EXIT.interrupted;
  if (!outcome.ok) return fail(outcome.failure);
  if (outcome.value !== undefined) print(outcome.value.text, outcome.value.json);
  return outcome.value?.exitCode ?? EXIT.ok;
}

interface Found<Machine> {
  readonly command: Command<Machine>;
  /** Without the program's name. */
  readonly path: readonly string[];
  readonly rest: readonly string[];
}

function findCommand<Machine>(
  program: Program<Machine>,
  words: readonly string[],
): Outcome<Found<Machine>, CommandFailure> {
  let rest = words;
  let command: Command<Machine> = program;
  const path: string[] = [];
  while (command.commands !== undefined) {
    const options = { ...program.globalOptions, ...command.options };
    const at = firstWord(rest, options);
    const word = at === undefined ? undefined : rest[at];
    if (at === undefined || word === undefined) break;
    const next: Command<Machine> | undefined = command.commands.find(({ name }) => name === word);
    if (next === undefined) {
      // A word after a mistyped option was probably meant as its value, so the option is reported first.
      const before = readArguments(rest.slice(0, at), {}, options);
      return failed(
        before.ok
          ? unknownCommand(program, path, word, command.commands)
          : usageFailure(program, path, before.failure),
      );
    }
    command = next;
    path.push(word);
    rest = rest.toSpliced(at, 1);
  }
  return ok({ command, path, rest });
}

function unknownCommand<Machine>(
  program: Program<Machine>,
  path: readonly string[],
  word: string,
  commands: readonly Command<Machine>[],
): CommandFailure {
  const names = commands.map(({ name }) => name);
  const guess = nearest(word, names);
  return {
    message: `There is no command ${JSON.stringify(word)}.${guess === undefined ? "" : ` Did you mean ${guess}?`}`,
    fix: `${[program.name, ...path].join(" ")} has: ${names.join(", ")}.`,
    exitCode: EXIT.usage,
  };
}

function usageFailure<Machine>(
  program: Program<Machine>,
  path: readonly string[],
  message: string,
): CommandFailure {
  return { message, fix: `See ${[program.name, ...path].join(" ")} --help.`, exitCode: EXIT.usage };
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

/** Before parsing, because parse errors have the same format. */
function wantsJson<Machine>({ globalOptions }: Program<Machine>, words: readonly string[]): boolean {
  const at = words.indexOf("--output");
  return (
    words.includes("--output=json") ||
    (at !== -1 && words[at + 1] === "json") ||
    (globalOptions.json?.kind === "flag" && words.includes("--json"))
  );
}
