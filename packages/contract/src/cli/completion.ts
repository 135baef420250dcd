import { ok } from "../outcome.ts";
import { type AnyCommand, type Command, commandFor, isGroup, type Options } from "./command.ts";
import type { Program } from "./program.ts";

export const shells = ["bash", "zsh", "fish"] as const;

type Shell = (typeof shells)[number];

/** The command that prints the script. The program holds its commands, this one among them, so it is named late. */
export function completionCommand<Machine>(
  name: string,
  program: () => Promise<Program<Machine>>,
): Command<Machine> {
  return commandFor<Machine, Options>()({
    name: "completion",
    describe: "Print the script that lets your shell complete the commands",
    args: { shell: { describe: "Your shell", required: true, choices: shells } },
    examples: [
      { line: `eval "$(${name} completion bash)"`, does: "for this bash; put it into ~/.bashrc to keep it" },
      { line: `${name} completion fish | source`, does: "for this fish" },
    ],
    async run({ shell }) {
      const script = completionScript(await program(), shell);
      return ok({ text: script, json: { shell, script } });
    },
  });
}

/** The script that teaches a shell to complete this program's commands, options and choices. */
export function completionScript<Machine>(program: Program<Machine>, shell: Shell): string {
  const places = placesOf(program);
  switch (shell) {
    case "bash":
      return bash(program.name, places);
    case "zsh":
      return zsh(program.name, places);
    case "fish":
      return fish(program.name, places);
  }
}

/** A point of the command tree, and the words that may come next there. */
interface Place {
  /** `mcp serve` */
  readonly path: string;
  readonly words: readonly string[];
  /** Options with a closed list of values. */
  readonly choices: readonly (readonly [option: string, choices: readonly string[]])[];
}

function placesOf<Machine>(program: Program<Machine>): readonly Place[] {
  const inside = (commands: readonly AnyCommand<Machine>[], path: readonly string[]): Place[] =>
    commands.flatMap((command) => {
      const here = [...path, command.name];
      return isGroup(command)
        ? [place(here, namesOf(command.commands), program.options), ...inside(command.commands, here)]
        : [place(here, wordsOf(command), { ...program.options, ...command.options })];
    });
  return [place([], namesOf(program.commands), program.options), ...inside(program.commands, [])];
}

function place(path: readonly string[], words: readonly string[], options: Options): Place {
  return {
    path: path.join(" "),
    words: [...words, ...Object.keys(options).map((name) => `--${name}`)],
    choices: Object.entries(options).flatMap(([name, option]) =>
      option.kind !== "flag" && option.choices !== undefined ? [[`--${name}`, option.choices] as const] : [],
    ),
  };
}

function namesOf(commands: readonly { readonly name: string }[]): readonly string[] {
  return commands.map(({ name }) => name);
}

function wordsOf<Machine>({ args }: Command<Machine>): readonly string[] {
  return Object.values(args).flatMap(({ choices }) => choices ?? []);
}

/** Lines of a shell `case` that sets what to offer, first for an option's value, then for the next word. */
function cases(places: readonly Place[], offer: (words: readonly string[]) => string): string {
  return places
    .flatMap(({ path, words, choices }) => [
      ...choices.map(([option, values]) => `    "${path}:${option}") ${offer(values)} ;;`),
      `    "${path}:"*) ${offer(words)} ;;`,
    ])
    .join("\n");
}

/** Walks the words before the cursor down the command tree: what is no command's name is skipped. */
function walk(places: readonly Place[]): string {
  const paths = places.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  return `case "\${at:+$at }$word" in ${paths.join("|")}) at="\${at:+$at }$word" ;; esac`;
}

function bash(name: string, places: readonly Place[]): string {
  return `# ${name} completion for bash: eval "$(${name} completion bash)"
_${name}() {
  local at="" word previous="\${COMP_WORDS[COMP_CWORD-1]}" offer=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    ${walk(places)}
  done
  case "$at:$previous" in
${cases(places, (words) => `offer="${words.join(" ")}"`)}
  esac
  COMPREPLY=($(compgen -W "$offer" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}
`;
}

function zsh(name: string, places: readonly Place[]): string {
  return `#compdef ${name}
# ${name} completion for zsh: eval "$(${name} completion zsh)"
_${name}() {
  local at="" word previous="\${words[CURRENT-1]}"
  for word in "\${(@)words[2,CURRENT-1]}"; do
    ${walk(places)}
  done
  case "$at:$previous" in
${cases(places, (words) => `compadd -- ${words.join(" ")}`)}
  esac
}
compdef _${name} ${name}
`;
}

function fish(name: string, places: readonly Place[]): string {
  const paths = places.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  const rules = places.flatMap(({ path, words, choices }) => [
    ...choices.map(
      ([option, values]) =>
        `complete -c ${name} -f -n '__${name}_at "${path}:${option}"' -a '${values.join(" ")}'`,
    ),
    `complete -c ${name} -n '__${name}_at "${path}"' -a '${words.join(" ")}'`,
  ]);
  return `# ${name} completion for fish: ${name} completion fish | source
function __${name}_at
  set -l at ""
  set -l words (commandline -opc)
  for word in $words[2..-1]
    set -l longer (string trim -- "$at $word")
    contains -- $longer ${paths.join(" ")}; and set at $longer
  end
  test "$at" = "$argv[1]"; or test "$at:$words[-1]" = "$argv[1]"
end
${rules.join("\n")}
`;
}
