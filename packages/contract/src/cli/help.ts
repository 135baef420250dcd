import {
  type AnyCommand,
  type Arguments,
  type Example,
  type Flag,
  isGroup,
  type Option,
  type Options,
} from "./command.ts";
import { exitCodes } from "./exit.ts";
import type { Program } from "./program.ts";
import { columns, paint, type Terminal } from "./terminal.ts";

/** What a program, a group or a command is for and how it is called. */
export function helpText<Machine>(
  program: Program<Machine>,
  path: readonly string[],
  found: AnyCommand<Machine> | undefined,
  terminal: Pick<Terminal, "hasColor">,
): string {
  const title = (text: string) => paint(terminal, "bold", text);
  const called = [program.name, ...path].join(" ");
  const inside = found === undefined ? program.commands : isGroup(found) ? found.commands : undefined;
  const own = found !== undefined && !isGroup(found) ? found : undefined;
  const sections = [
    found?.describe ?? program.describe,
    own?.details ?? "",
    `${title("Usage")}\n  ${usage(called, inside !== undefined, own?.args ?? {}, own?.options ?? {})}`,
    inside &&
      listed(
        title("Commands"),
        inside.map((command) => [command.name, command.describe]),
      ),
    listed(
      title("Arguments"),
      Object.entries(own?.args ?? {}).map(([name, { describe, choices }]) => [
        name.toUpperCase(),
        withChoices(describe, choices),
      ]),
    ),
    listed(title("Options"), Object.entries(own?.options ?? {}).map(optionRow)),
    listed(title("Everywhere"), Object.entries(program.options).map(optionRow)),
    examples(title("Examples"), found?.examples ?? program.examples),
    found === undefined
      ? listed(
          title("Exit codes"),
          exitCodes.map(([code, meaning]) => [String(code), meaning]),
        )
      : "",
  ];
  return `${sections
    .filter((section) => section)
    .join("\n\n")
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd()}\n`;
}

function usage(called: string, hasCommands: boolean, args: Arguments, options: Options): string {
  const words = [
    called,
    ...(hasCommands ? ["COMMAND"] : []),
    ...Object.entries(args).map(([name, { required }]) =>
      required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
    ),
    ...(Object.keys(options).length > 0 ? ["[OPTIONS]"] : []),
  ];
  return words.join(" ");
}

function optionRow([name, option]: [string, Option]): [string, string] {
  const short = option.short === undefined ? "    " : `-${option.short}, `;
  const value = option.kind === "flag" ? "" : ` ${placeholderOf(option)}`;
  return [
    `${short}--${name}${value}`,
    withChoices(option.describe, option.kind === "flag" ? undefined : option.choices),
  ];
}

function placeholderOf(option: Exclude<Option, Flag>): string {
  return option.kind === "value" && option.whenBare !== undefined
    ? `[${option.placeholder}]`
    : option.placeholder;
}

function withChoices(describe: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? describe : `${describe} (${choices.join(", ")})`;
}

function listed(heading: string, rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? "" : `${heading}\n${columns(rows, "  ").trimEnd()}`;
}

function examples(heading: string, examples: readonly Example[]): string {
  return listed(
    heading,
    examples.map(({ line, does }) => [line, does]),
  );
}
