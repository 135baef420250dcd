import { type Arguments, type Command, choicesOf, EXIT, type Option, type Options } from "./command.ts";
import type { Program } from "./program.ts";
import { columns, paint, type Terminal } from "./terminal.ts";

const EXIT_CODES: NonNullable<Program<never>["exitCodes"]> = [
  [EXIT.ok, "success"],
  [EXIT.failed, "the command failed, or found a problem"],
  [EXIT.usage, "the command line is wrong"],
  [EXIT.interrupted, "interrupted by Ctrl-C"],
];

export function helpText<Machine>(
  program: Program<Machine>,
  path: readonly string[],
  command: Command<Machine>,
  terminal: Pick<Terminal, "hasColor">,
): string {
  const { describe, details = "", args = {}, options = {}, commands = [], examples } = command;
  const { exitCodes = EXIT_CODES, globalOptions } = program;
  const section = (title: string, rows: readonly (readonly string[])[]) =>
    rows.length === 0 ? "" : `${paint(terminal, "bold", title)}\n${columns(rows, "  ").trimEnd()}`;
  const sections = [
    describe,
    details.trim(),
    section("Usage", [[usage([program.name, ...path], command)]]),
    section(
      "Commands",
      commands.map(({ name, describe }) => [name, describe]),
    ),
    section("Arguments", argumentRows(args)),
    section("Options", optionRows(options)),
    section("Global options", optionRows(globalOptions)),
    section(
      "Examples",
      examples.map(({ line, does }) => [line, does]),
    ),
    section("Exit codes", path.length > 0 ? [] : exitCodes.map(([code, meaning]) => [String(code), meaning])),
  ];
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`;
}

export function usage<Machine>(
  names: readonly string[],
  { args = {}, options = {}, commands, run }: Command<Machine>,
): string {
  return [
    ...names,
    ...(commands === undefined ? [] : [run === undefined ? "COMMAND" : "[COMMAND]"]),
    ...Object.entries(args).map(([name, { required }]) =>
      required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
    ),
    ...(Object.keys(options).length > 0 ? ["[OPTIONS]"] : []),
  ].join(" ");
}

export function argumentRows(args: Arguments): [string, string][] {
  return Object.entries(args).map(([name, { describe, choices }]) => [
    name.toUpperCase(),
    withChoices(describe, choices),
  ]);
}

export function optionRows(options: Options): [string, string][] {
  return Object.entries(options).map(([name, option]) => [
    `${option.short === undefined ? "    " : `-${option.short}, `}--${name}${placeholder(option)}`,
    withChoices(option.describe, choicesOf(option)),
  ]);
}

function placeholder(option: Option): string {
  if (option.kind === "flag") return "";
  const isOptional = option.kind === "value" && option.whenBare !== undefined;
  return isOptional ? ` [${option.placeholder}]` : ` ${option.placeholder}`;
}

function withChoices(describe: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? describe : `${describe} (${choices.join(", ")})`;
}
