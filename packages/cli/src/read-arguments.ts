import { parseArgs } from "node:util";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Arguments, Option, Options } from "./command.ts";
import { nearest } from "./nearest.ts";

/** Returns values by name, or one sentence about the error. */
export function readArguments(
  words: readonly string[],
  args: Arguments,
  options: Options,
): Outcome<Readonly<Record<string, unknown>>, string> {
  const values: Record<string, unknown> = {};
  const positionals: string[] = [];
  for (const token of tokens(words, options)) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = options[token.name];
    if (option === undefined) return failed(unknownOption(token.rawName, options));
    // `--port --yes` is a missing value; a value that starts with a dash is written `--text=--yes`.
    const isNextOption = token.inlineValue === false && options[token.value.replace(/^--/, "")] !== undefined;
    const value = isNextOption && token.value.startsWith("--") ? undefined : token.value;
    const problem = addOption(values, token.name, token.rawName, option, value);
    if (problem !== undefined) return failed(problem);
  }
  for (const [name, option] of Object.entries(options)) if (option.kind === "flag") values[name] ??= false;

  const expected = Object.entries(args);
  const extra = positionals[expected.length];
  if (extra !== undefined) return failed(`Unexpected argument ${JSON.stringify(extra)}.`);
  for (const [i, [name, { required, choices }]] of expected.entries()) {
    const value = positionals[i];
    if (value === undefined && required) return failed(`${name.toUpperCase()} is missing.`);
    const problem = value === undefined ? undefined : wrongChoice(name.toUpperCase(), value, choices);
    if (problem !== undefined) return failed(problem);
    values[name] = value;
  }
  return ok(values);
}

/** The index of the first word that is neither an option nor its value. */
export function firstWord(words: readonly string[], options: Options): number | undefined {
  return tokens(words, options).find((token) => token.kind === "positional")?.index;
}

function tokens(words: readonly string[], options: Options) {
  return parseArgs({
    args: words.map((word, i) => withBareValue(word, words[i + 1], options)),
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
  }).tokens;
}

/** `--http` becomes `--http=3000`. */
function withBareValue(word: string, next: string | undefined, options: Options): string {
  const option = word.startsWith("--") ? options[word.slice(2)] : undefined;
  const isBare = next === undefined || next.startsWith("-");
  return option?.kind === "value" && option.whenBare !== undefined && isBare
    ? `${word}=${option.whenBare}`
    : word;
}

function addOption(
  values: Record<string, unknown>,
  name: string,
  rawName: string,
  option: Option,
  value: string | undefined,
): string | undefined {
  if (option.kind === "flag") {
    values[name] = true;
    return value === undefined ? undefined : `${rawName} takes no value.`;
  }
  if (value === undefined) return `${rawName} needs a value: ${rawName} ${option.placeholder}.`;
  if (option.kind === "value") {
    values[name] = value;
    return wrongChoice(rawName, value, option.choices);
  }
  if (option.kind === "number") {
    const number = value.trim() === "" ? Number.NaN : Number(value);
    values[name] = number;
    const isAllowed = Number.isInteger(number) || (option.allowsFraction && Number.isFinite(number));
    if (isAllowed && number >= option.min && number <= option.max) return undefined;
    const kind = option.allowsFraction ? "a number" : "a whole number";
    return `${rawName} cannot be ${JSON.stringify(value)}. Give ${kind} from ${option.min} to ${option.max}.`;
  }
  const parts = option.keepsCommas ? [value] : value.split(",").filter((part) => part !== "");
  values[name] = [...((values[name] as readonly string[] | undefined) ?? []), ...parts];
  return parts.map((part) => wrongChoice(rawName, part, option.choices)).find((problem) => problem);
}

function wrongChoice(
  name: string,
  value: string,
  choices: readonly string[] | undefined,
): string | undefined {
  if (choices === undefined || choices.includes(value)) return undefined;
  const guess = nearest(value, choices);
  const hint = guess === undefined ? "" : ` Did you mean ${guess}?`;
  return `${name} cannot be ${JSON.stringify(value)}.${hint} It is one of ${choices.join(", ")}.`;
}

function unknownOption(rawName: string, options: Options): string {
  const guess = nearest(rawName.replace(/^-+/, ""), Object.keys(options));
  return `There is no option ${rawName} here.${guess === undefined ? "" : ` Did you mean --${guess}?`}`;
}
