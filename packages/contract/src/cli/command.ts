import type { Failure } from "../errors.ts";
import type { Json } from "../json.ts";
import type { Outcome } from "../outcome.ts";
import type { Terminal } from "./terminal.ts";

/** An option that takes no value. */
export interface Flag {
  readonly kind: "flag";
  readonly short?: string;
  readonly describe: string;
}

/** An option with one value. */
export interface ValueOption<Choice extends string = string> {
  readonly kind: "value";
  readonly short?: string;
  /** Stands for the value in help: `FILE`. */
  readonly placeholder: string;
  readonly describe: string;
  readonly choices?: readonly Choice[];
  /** The value where the option stands alone. */
  readonly whenBare?: Choice;
}

/** An option with several values, with commas or given again. */
export interface ListOption {
  readonly kind: "list";
  /** Commas belong to the values: several are given again only. */
  readonly keepsCommas?: boolean;
  readonly short?: string;
  readonly placeholder: string;
  readonly describe: string;
  readonly choices?: readonly string[];
}

/** One option of a command line. */
export type Option = Flag | ValueOption | ListOption;
/** Options by name, without the dashes. */
export type Options = Readonly<Record<string, Option>>;

/** A word after the command. */
export interface Argument<Choice extends string = string> {
  readonly describe: string;
  readonly required: boolean;
  readonly choices?: readonly Choice[];
}

/** Words after the command, in order. */
export type Arguments = Readonly<Record<string, Argument>>;

type OptionValue<O extends Option> = O extends Flag
  ? boolean
  : O extends ListOption
    ? readonly string[] | undefined
    : O extends ValueOption<infer Choice>
      ? Choice | undefined
      : never;

/** What a command is given for these options. */
export type OptionValues<O extends Options> = { readonly [K in keyof O]: OptionValue<O[K]> };

export type ArgumentValues<A extends Arguments> = {
  readonly [K in keyof A]: A[K] extends Argument<infer Choice>
    ? A[K]["required"] extends true
      ? Choice
      : Choice | undefined
    : never;
};

/** The table of a command that takes none. */
type NoEntries = Readonly<Record<never, never>>;

/** A command line to copy, and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** What a command is run with. */
export interface CommandContext<Machine, Globals> {
  readonly terminal: Terminal;
  /** What the product gives all its commands: network, clock, files. */
  readonly machine: Machine;
  readonly globals: Globals;
  /** The answer is to be read by a program. */
  readonly isJson: boolean;
  /** Fires when the person wants to stop. */
  readonly signal: AbortSignal;
}

/** What a command has to say: the same for people and for programs. */
export interface Report {
  readonly text: string;
  readonly json: Json;
  /** 0 unless said otherwise. */
  readonly exitCode?: number;
}

/** Why a command failed, and what to do. */
export interface CommandFailure {
  readonly message: string;
  readonly fix?: string;
  /** 1 unless said otherwise. */
  readonly exitCode?: number;
}

/** What a call failed with, as a command says it. */
export function commandFailure({ message, suggestedFix }: Failure): CommandFailure {
  return { message, ...(suggestedFix !== undefined && { fix: suggestedFix }) };
}

/** Nothing to report where the command has talked while it ran. */
export type CommandOutcome = Outcome<Report | undefined, CommandFailure>;

export interface CommandDefinition<Machine, Globals, A extends Arguments, O extends Options> {
  readonly name: string;
  readonly describe: string;
  /** More than one line has room for. */
  readonly details?: string;
  readonly args?: A;
  readonly options?: O;
  readonly examples: readonly Example[];
  readonly run: (
    input: ArgumentValues<A> & OptionValues<O>,
    context: CommandContext<Machine, Globals>,
  ) => Promise<CommandOutcome>;
}

/** A command with its types sealed in. */
export interface Command<Machine> {
  readonly name: string;
  readonly describe: string;
  readonly details: string;
  readonly args: Arguments;
  readonly options: Options;
  readonly examples: readonly Example[];
  readonly run: (
    input: Readonly<Record<string, unknown>>,
    context: CommandContext<Machine, unknown>,
  ) => Promise<CommandOutcome>;
}

/** Commands under one word. */
export interface CommandGroup<Machine> {
  readonly name: string;
  readonly describe: string;
  readonly examples: readonly Example[];
  readonly commands: readonly AnyCommand<Machine>[];
}

/** A command, or commands under one word. */
export type AnyCommand<Machine> = Command<Machine> | CommandGroup<Machine>;

export function isGroup<Machine>(command: AnyCommand<Machine>): command is CommandGroup<Machine> {
  return "commands" in command;
}

/**
 * The function that declares the commands of a program whose commands get this machine and these global options.
 *
 * ```ts
 * const globals = { config: { kind: "value", placeholder: "FILE", describe: "Configuration" } } as const;
 * const command = commandFor<{ now: () => number }, typeof globals>();
 * const greet = command({
 *   name: "greet",
 *   describe: "Says hello",
 *   args: { whom: { describe: "Who is greeted", required: true } },
 *   examples: [{ line: "hello greet Ada", does: "greets Ada" }],
 *   run: async ({ whom }) => ok({ text: `Hello ${whom}`, json: { hello: whom } }),
 * });
 * ```
 */
export function commandFor<Machine, Globals extends Options>() {
  return <const A extends Arguments = NoEntries, const O extends Options = NoEntries>(
    definition: CommandDefinition<Machine, OptionValues<Globals>, A, O>,
  ): Command<Machine> => ({
    ...definition,
    details: definition.details ?? "",
    args: definition.args ?? {},
    options: definition.options ?? {},
    run: (input, context) =>
      definition.run(
        // `readArguments` made these from the same two tables that the types are read from.
        input as ArgumentValues<A> & OptionValues<O>,
        context as CommandContext<Machine, OptionValues<Globals>>,
      ),
  });
}
