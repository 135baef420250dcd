import type { Outcome } from "@toolpact/outcome";
import type { Terminal } from "./terminal.ts";

/** An option without a value, such as `--yes`. */
export interface Flag {
  readonly kind: "flag";
  readonly short?: string;
  readonly describe: string;
}

export interface ValueOption<Choice extends string = string> {
  readonly kind: "value";
  readonly short?: string;
  /** In help, such as `FILE`. */
  readonly placeholder: string;
  readonly describe: string;
  readonly choices?: readonly Choice[];
  /** Without a value. */
  readonly whenBare?: Choice;
}

/** Whole numbers by default. */
export interface NumberOption {
  readonly kind: "number";
  readonly short?: string;
  readonly placeholder: string;
  readonly describe: string;
  readonly min: number;
  readonly max: number;
  readonly allowsFraction?: boolean;
}

/** Values are separated by commas, or given several times. */
export interface ListOption {
  readonly kind: "list";
  /** Commas belong to the value. */
  readonly keepsCommas?: boolean;
  readonly short?: string;
  readonly placeholder: string;
  readonly describe: string;
  readonly choices?: readonly string[];
}

export type Option = Flag | ValueOption | NumberOption | ListOption;

/** Undefined without a closed list. */
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

export interface Example {
  readonly line: string;
  readonly does: string;
}

/** In addition to its arguments. */
export interface CommandContext<Machine, Globals> {
  readonly terminal: Terminal;
  /** Shared by all commands: network, clock, files. */
  readonly machine: Machine;
  readonly globals: Globals;
  /** True with `--json`. */
  readonly isJson: boolean;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}

/** Defaults of every program. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

export interface Report {
  readonly text: string;
  readonly json: object | string | number | boolean | null;
  /** Default 0. */
  readonly exitCode?: number;
}

export interface CommandFailure {
  readonly message: string;
  readonly fix?: string;
  /** Default: the program's `failureCode`. */
  readonly exitCode?: number;
}

/** Undefined if the command printed its results while it ran. */
export type CommandOutcome = Outcome<Report | undefined, CommandFailure>;

export interface CommandDefinition<Machine, Globals, A extends Arguments, O extends Options> {
  readonly name: string;
  readonly describe: string;
  /** Shown only by the command's own help. */
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
  /** With options, but no arguments. */
  readonly commands?: readonly Command<Machine>[];
  /** Without it, the help is shown. */
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
        // `readArguments` read these from the tables that the types come from.
        input as ArgumentValues<A> & OptionValues<O>,
        context as CommandContext<Machine, OptionValues<Globals>>,
      ),
  });
}
