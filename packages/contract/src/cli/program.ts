import { nearest } from "../nearest.ts";
import type { Outcome } from "../outcome.ts";
import {
  type AnyCommand,
  type Command,
  type CommandFailure,
  type CommandOutcome,
  type Example,
  isGroup,
  type Options,
  type Report,
} from "./command.ts";
import { EXIT } from "./exit.ts";
import { helpText } from "./help.ts";
import { firstWord, readArguments } from "./read-arguments.ts";
import { paint, type Terminal } from "./terminal.ts";

/** A command line as a whole. */
export interface Program<Machine> {
  readonly name: string;
  readonly version: string;
  readonly describe: string;
  /** Options that every command takes, before or after its name. */
  readonly options: Options;
  readonly commands: readonly AnyCommand<Machine>[];
  readonly examples: readonly Example[];
}

/** Options every program of this kind has. */
export const commonOptions = {
  output: {
    kind: "value",
    placeholder: "FORMAT",
    describe: "How answers are written",
    choices: ["text", "json"],
  },
  help: { kind: "flag", short: "h", describe: "Explain a command" },
  version: { kind: "flag", describe: "Print the version" },
} as const satisfies Options;

/** Runs what a command line asks for and resolves to the exit code. Nothing is thrown for what a person did. */
export async function runProgram<Machine>(
  program: Program<Machine>,
  words: readonly string[],
  terminal: Terminal,
  machine: Machine,
  signal: AbortSignal,
): Promise<number> {
  const found = findCommand(program, words);
  const isJson = wantsJson(words);
  if (!found.ok) return fail(program, terminal, isJson, found.failure);
  const { command, path, rest } = found.value;
  if (rest.includes("--version") && path.length === 0) {
    terminal.out(isJson ? json({ version: program.version }) : `${program.version}\n`);
    return EXIT.ok;
  }
  const own = command !== undefined && !isGroup(command) ? command : undefined;
  const read = asksForHelp(rest)
    ? undefined
    : readArguments(rest, own?.args ?? {}, { ...program.options, ...own?.options });
  if (read?.ok === false) return fail(program, terminal, isJson, misread(program, path, read.failure));
  if (own === undefined || read === undefined) {
    terminal.out(helpText(program, path, command, terminal));
    return EXIT.ok;
  }
  const outcome = await run(own, read.value, { terminal, machine, globals: read.value, isJson, signal });
  // A server ends by being told to, and says so with an exit code of its own.
  if (signal.aborted && !(outcome.ok && outcome.value?.exitCode !== undefined)) return EXIT.interrupted;
  return outcome.ok
    ? tell(terminal, isJson, outcome.value)
    : fail(program, terminal, isJson, outcome.failure);
}

async function run<Machine>(
  command: Command<Machine>,
  input: Readonly<Record<string, unknown>>,
  context: Parameters<Command<Machine>["run"]>[1],
): Promise<CommandOutcome> {
  try {
    return await command.run(input, context);
  } catch (error) {
    // What is interrupted may end by throwing; everything else that throws is a bug.
    if (context.signal.aborted) return { ok: true, value: undefined };
    throw error;
  }
}

interface Found<Machine> {
  readonly command: AnyCommand<Machine> | undefined;
  readonly path: readonly string[];
  /** The words without the command's name. */
  readonly rest: readonly string[];
}

function findCommand<Machine>(
  program: Program<Machine>,
  words: readonly string[],
): Outcome<Found<Machine>, CommandFailure> {
  let rest = words;
  let command: AnyCommand<Machine> | undefined;
  const path: string[] = [];
  for (let inside: readonly AnyCommand<Machine>[] | undefined = program.commands; inside !== undefined; ) {
    const at = firstWord(rest, program.options);
    const word = at === undefined ? undefined : rest[at];
    if (at === undefined || word === undefined) break;
    const next: AnyCommand<Machine> | undefined = inside.find(({ name }) => name === word);
    if (next === undefined) {
      // The word after an option that does not exist was meant as its value.
      const before = readArguments(rest.slice(0, at), {}, program.options);
      const failure = before.ok
        ? unknownCommand(program, path, word, inside)
        : misread(program, path, before.failure);
      return { ok: false, failure };
    }
    command = next;
    path.push(word);
    rest = rest.toSpliced(at, 1);
    inside = isGroup(next) ? next.commands : undefined;
  }
  return { ok: true, value: { command, path, rest } };
}

function unknownCommand<Machine>(
  program: Program<Machine>,
  path: readonly string[],
  word: string,
  inside: readonly AnyCommand<Machine>[],
): CommandFailure {
  const names = inside.map(({ name }) => name);
  const guess = nearest(word, names);
  const called = [program.name, ...path].join(" ");
  return {
    message: `There is no command ${JSON.stringify(word)}.${guess === undefined ? "" : ` Did you mean ${guess}?`}`,
    fix: `${called} has: ${names.join(", ")}.`,
    exitCode: EXIT.usage,
  };
}

function misread<Machine>(
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

/** Known before the words are understood, since not understanding them is told in the same form. */
function wantsJson(words: readonly string[]): boolean {
  const at = words.indexOf("--output");
  return words.includes("--output=json") || (at !== -1 && words[at + 1] === "json");
}

function tell(terminal: Terminal, isJson: boolean, report: Report | undefined): number {
  if (report === undefined) return EXIT.ok;
  const text = report.text === "" || report.text.endsWith("\n") ? report.text : `${report.text}\n`;
  terminal.out(isJson ? json(report.json) : text);
  return report.exitCode ?? EXIT.ok;
}

function fail<Machine>(
  program: Program<Machine>,
  terminal: Terminal,
  isJson: boolean,
  { message, fix, exitCode = EXIT.failed }: CommandFailure,
): number {
  if (isJson) terminal.out(json({ error: { message, ...(fix !== undefined && { fix }) } }));
  else
    terminal.err(
      `${program.name}: ${paint(terminal, "red", message)}${fix === undefined ? "" : ` ${fix}`}\n`,
    );
  return exitCode;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
