import { ok } from "@toolpact/outcome";
import { type Command, choicesOf, commandFor, type Options } from "./command.ts";
import type { Program } from "./program.ts";

export const shells = ["bash", "zsh", "fish"] as const;

export function withCompletion<Machine>(program: Program<Machine>): Program<Machine> {
  const { name, commands = [] } = program;
  const completion: Command<Machine> = commandFor<Machine, Options>()({
    name: "completion",
    describe: "Print the shell script that completes commands and options",
    args: { shell: { describe: "Your shell", required: true, choices: shells } },
    examples: [
      { line: `eval "$(${name} completion bash)"`, does: "in bash; add it to ~/.bashrc to keep it" },
      { line: `${name} completion fish | source`, does: "in fish" },
    ],
    async run({ shell }) {
      const script = completionScript(whole, shell);
      return ok({ text: script, json: { shell, script } });
    },
  });
  const whole: Program<Machine> = { ...program, commands: [...commands, completion] };
  return whole;
}

export function completionScript<Machine>(program: Program<Machine>, shell: (typeof shells)[number]): string {
  return SCRIPTS[shell](program.name, nodesOf(program, program.globalOptions, []));
}

interface Node {
  /** `mcp serve` */
  readonly path: string;
  readonly words: readonly string[];
  /** With a closed list. */
  readonly choices: readonly (readonly [option: string, choices: readonly string[]])[];
}

function nodesOf<Machine>(
  { args = {}, options = {}, commands = [] }: Command<Machine>,
  globalOptions: Options,
  path: readonly string[],
): readonly Node[] {
  const all = Object.entries({ ...globalOptions, ...options });
  const node: Node = {
    path: path.join(" "),
    words: [
      ...commands.map(({ name }) => name),
      ...Object.values(args).flatMap(({ choices = [] }) => choices),
      ...all.map(([name]) => `--${name}`),
    ],
    choices: all.flatMap(([name, option]) => {
      const choices = choicesOf(option);
      return choices === undefined ? [] : [[`--${name}`, choices] as const];
    }),
  };
  return [node, ...commands.flatMap((child) => nodesOf(child, globalOptions, [...path, child.name]))];
}

/** Values of options first, then the next word. */
function cases(nodes: readonly Node[], offer: (words: readonly string[]) => string): string {
  return nodes
    .flatMap(({ path, words, choices }) => [
      ...choices.map(([option, values]) => `    "${path}:${option}") ${offer(values)} ;;`),
      `    "${path}:"*) ${offer(words)} ;;`,
    ])
    .join("\n");
}

/** Follows the words before the cursor, skipping non-commands. */
function walk(nodes: readonly Node[]): string {
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  return `case "\${at:+$at }$word" in ${paths.join("|")}) at="\${at:+$at }$word" ;; esac`;
}

function bash(name: string, nodes: readonly Node[]): string {
  return `# ${name} completion for bash: eval "$(${name} completion bash)"
_${name}() {
  local at="" word previous="\${COMP_WORDS[COMP_CWORD-1]}" offer=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    ${walk(nodes)}
  done
  case "$at:$previous" in
${cases(nodes, (words) => `offer="${words.join(" ")}"`)}
  esac
  COMPREPLY=($(compgen -W "$offer" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}
`;
}

function zsh(name: string, nodes: readonly Node[]): string {
  return `#compdef ${name}
# ${name} completion for zsh: eval "$(${name} completion zsh)"
_${name}() {
  local at="" word previous="\${words[CURRENT-1]}"
  for word in "\${(@)words[2,CURRENT-1]}"; do
    ${walk(nodes)}
  done
  case "$at:$previous" in
${cases(nodes, (words) => `compadd -- ${words.join(" ")}`)}
  esac
}
compdef _${name} ${name}
`;
}

function fish(name: string, nodes: readonly Node[]): string {
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  const rules = nodes.flatMap(({ path, words, choices }) => [
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

const SCRIPTS = { bash, zsh, fish } as const;
