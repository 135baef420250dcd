import { parseArgs } from "node:util";
import { nearest } from "../nearest.ts";
import { failed, type Outcome, ok } from "../outcome.ts";
import type { Arguments, Option, Options } from "./command.ts";

/** Words of a command line as its tables name them, or what is wrong with them in one sentence. */
export function readArguments(
  words: readonly string[],
  args: Arguments,
  options: Options,
): Outcome<Readonly<Record<string, unknown>>, string> {
  const { tokens } = tokensOf(words, options);
  const values: Record<string, unknown> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = options[token.name];
    if (option === undefined) return failed(unknownOption(token.rawName, options));
    const problem = take(values, token.name, token.rawName, option, token.value);
    if (problem !== undefined) return failed(problem);
  }
  for (const [name, option] of Object.entries(options)) if (option.kind === "flag") values[name] ??= false;

  const names = Object.keys(args);
  if (positionals.length > names.length)
    return failed(`${JSON.stringify(positionals[names.length])} is one word too many.`);
  for (const [i, name] of names.entries()) {
    const value = positionals[i];
    if (value === undefined && args[name]?.required) return failed(`${name.toUpperCase()} is missing.`);
    const problem =
      value === undefined ? undefined : badChoice(name.toUpperCase(), value, args[name]?.choices);
    if (problem !== undefined) return failed(problem);
    values[name] = value;
  }
  return ok(values);
}

/** Index of the first word that is no option and no option's value. */
export function firstWord(words: readonly string[], options: Options): number | undefined {
  return tokensOf(words, options).tokens.find((token) => token.kind === "positional")?.index;
}

function tokensOf(words: readonly string[], options: Options) {
  return parseArgs({
    args: words.map((word, i) => withValue(word, words[i + 1], options)),
    options: Object.fromEntries(
      Object.entries(options).map(([name, { kind, short }]) => [
        name,
        {
          type: kind === "flag" ? ("boolean" as const) : ("string" as const),
          multiple: kind === "list",
          ...(short !== undefined && { short }),
        },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
}

/** Gives an option that stands alone the value it then has: `--http` becomes `--http=3000`. */
function withValue(word: string, next: string | undefined, options: Options): string {
  const option = word.startsWith("--") ? options[word.slice(2)] : undefined;
  const isAlone = next === undefined || next.startsWith("-");
  return option?.kind === "value" && option.whenBare !== undefined && isAlone
    ? `${word}=${option.whenBare}`
    : word;
}

function take(
  values: Record<string, unknown>,
  name: string,
  rawName: string,
  option: Option,
  value: string | undefined,
): string | undefined {
  if (option.kind === "flag") {
    if (value !== undefined) return `${rawName} takes no value.`;
    values[name] = true;
    return undefined;
  }
  if (value === undefined) return `${rawName} needs a value: ${rawName} ${option.placeholder}.`;
  if (option.kind === "value") {
    values[name] = value;
    return badChoice(rawName, value, option.choices);
  }
  const parts = option.keepsCommas ? [value] : value.split(",").filter((part) => part !== "");
  values[name] = [...((values[name] as readonly string[] | undefined) ?? []), ...parts];
  return parts.map((part) => badChoice(rawName, part, option.choices)).find((problem) => problem);
}

function badChoice(name: string, value: string, choices: readonly string[] | undefined): string | undefined {
  if (choices === undefined || choices.includes(value)) return undefined;
  const guess = nearest(value, choices);
  const hint = guess === undefined ? "" : ` Did you mean ${guess}?`;
  return `${name} cannot be ${JSON.stringify(value)}.${hint} It is one of ${choices.join(", ")}.`;
}

function unknownOption(rawName: string, options: Options): string {
  const guess = nearest(
    rawName.replace(/^-+/, ""),
    Object.keys(options).filter((name) => name.length > 1),
  );
  return `There is no option ${rawName} here.${guess === undefined ? "" : ` Did you mean --${guess}?`}`;
}
