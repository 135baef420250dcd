import type { Outcome } from "@toolpact/outcome";
import type { Terminal } from "./terminal.ts";

/** An option without a value, such as `--yes`. */
export interface Flag {
  readonly kind: "flag";
  readonly short?: string;
  readonly describe: string;
}

/** An option with one value. */
export interface ValueOption<Choice extends string = string> {
  readonly kind: "value";
  readonly short?: string;
  /** The name of the value in help: `FILE`. */
  readonly placeholder: string;
  readonly describe: string;
  readonly choices?: readonly Choice[];
  /** The value when the option is given without one. */
  readonly whenBare?: Choice;
}

/** An option with a number, a whole one by default. */
export interface NumberOption {
  readonly kind: "number";
  readonly short?: string;
  readonly placeholder: string;
  readonly describe: string;
  readonly min: number;
  readonly max: number;
  readonly allowsFraction?: boolean;
}

/** An option with several values, separated by commas or given several times. */
export interface ListOption {
  readonly kind: "list";
  /** Commas are part of the value; several values require several options. */
  readonly keepsCommas?: boolean;
  readonly short?: string;
  readonly placeholder: string;
  readonly describe: string;
  readonly choices?: readonly string[];
}

export type Option = Flag | ValueOption | NumberOption | ListOption;

/** The closed list of an option's values, if it has one. */
export function choicesOf(option: Option): readonly string[] | undefined {
  return "choices" in option ? option.choices : undefined;
}

/** Options by name, without the dashes. */
export type Options = Readonly<Record<string, Option>>;

/** A positional argument. */
export interface Argument<Choice extends string = string> {
  readonly describe: string;
  readonly required: boolean;
  readonly choices?: readonly Choice[];
}

/** Positional arguments by name, in order. */
export type Arguments = Readonly<Record<string, Argument>>;

type OptionValue<O extends Option> = O extends Flag
  ? boolean
  : O extends ListOption
    ? readonly string[] | undefined
    : O extends NumberOption
      ? number | undefined
      : O extends ValueOption<infer Choice>
        ? Choice | undefined
        : never;

/** The values of these options, as passed to a command. */
export type OptionValues<O extends Options> = { readonly [K in keyof O]: OptionValue<O[K]> };

export type ArgumentValues<A extends Arguments> = {
  readonly [K in keyof A]: A[K] extends Argument<infer Choice>
    ? A[K]["required"] extends true
      ? Choice
      : Choice | undefined
    : never;
};

type NoEntries = Readonly<Record<never, never>>;

/** A command line to copy, and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** Everything available to a command, in addition to its arguments. */
export interface CommandContext<Machine, Globals> {
  readonly terminal: Terminal;
  /** Dependencies of all commands: network, clock, files. */
  readonly machine: Machine;
  /** The values of the global options. */
  readonly globals: Globals;
  /** True with `--json`. */
  readonly isJson: boolean;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}

/** Default exit codes of every program. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** The result of a command, as text for people and as JSON for programs. */
export interface Report {
  readonly text: string;
  readonly json: object | string | number | boolean | null;
  /** 0 by default. */
  readonly exitCode?: number;
}

/** Why a command failed, and how to fix it. */
export interface CommandFailure {
  readonly message: string;
  readonly fix?: string;
  /** The program's `failureCode` by default. */
  readonly exitCode?: number;
}

/** The value is undefined when the command printed its results while it ran. */
export type CommandOutcome = Outcome<Report | undefined, CommandFailure>;

export interface CommandDefinition<Machine, Globals, A extends Arguments, O extends Options> {
  readonly name: string;
  readonly describe: string;
  /** A longer explanation, shown only by the command's own help. */
  readonly details?: string;
  readonly args?: A;
  readonly options?: O;
  readonly examples: readonly Example[];
  readonly run: (
    input: ArgumentValues<A> & OptionValues<O>,
    context: CommandContext<Machine, Globals>,
  ) => Promise<CommandOutcome>;
}

/** A command, a group of commands (`mcp` has `serve` and `setup`), or both. */
export interface Command<Machine> {
  readonly name: string;
  readonly describe: string;
  readonly details?: string;
  readonly args?: Arguments;
  readonly options?: Options;
  readonly examples: readonly Example[];
  /** A command with subcommands accepts options, but no arguments. */
  readonly commands?: readonly Command<Machine>[];
  /** Absent in a command that only groups others; its help is shown instead. */
  readonly run?: (
    input: Readonly<Record<string, unknown>>,
    context: CommandContext<Machine, unknown>,
  ) => Promise<CommandOutcome>;
}

/**
 * Returns the function that declares commands for a program with this machine and these global options.
 *
 * ```ts
 * const globals = { config: { kind: "value", placeholder: "FILE", describe: "Configuration file" } } as const;
 * const command = commandFor<{ now: () => number }, typeof globals>();
 * const greet = command({
 *   name: "greet",
 *   describe: "Greet somebody",
 *   args: { whom: { describe: "Who is greeted", required: true } },
 *   examples: [{ line: "hello greet Ada", does: "greets Ada" }],
 *   run: async ({ whom }) => ok({ text: `Hello ${whom}`, json: { hello: whom } }),
 * });
 * ```
 */
export function commandFor<Machine, Globals extends Options>() {
  return <const A extends Arguments = NoEntries, const O extends Options = NoEntries>({
    run,
    ...definition
  }: CommandDefinition<Machine, OptionValues<Globals>, A, O>): Command<Machine> => ({
    ...definition,
    run: (input, context) =>
      run(
        // `readArguments` made these from the same two tables that the types are inferred from.
        input as ArgumentValues<A> & OptionValues<O>,
        context as CommandContext<Machine, OptionValues<Globals>>,
      ),
  });
}
