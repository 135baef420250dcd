import { failed, type Outcome, ok } from "@toolpact/outcome";
import type * as z from "zod";
import type { Asks } from "./ask.ts";
import { describeIssues } from "./bad-input.ts";
import type { Effect, Hints } from "./effects.ts";
import type { Failure } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import { checkZod } from "./peer-versions.ts";
import type { ProductTypes } from "./product.ts";
import { wireSchema } from "./schema.ts";
import type { AnyOutcome, ParsedCall, RunTools, Tool } from "./tool.ts";

/** The declaration of a tool that does one thing. */
export type ToolDeclaration<
  T extends ProductTypes,
  Category extends string,
  Profile extends string,
  Need extends keyof T["services"],
  Code extends string,
  I extends z.ZodObject,
  O extends z.ZodType,
> = ToolHead<T["facts"], Category, Profile, Need, Code> &
  Work<Pick<T["services"], Need>, Code, T["notes"], T["plan"], I, O>;

/** A tool that does one thing. */
export function plainTool<
  T extends ProductTypes,
  Need extends keyof T["services"] & string,
  Code extends string,
  I extends z.ZodObject,
  O extends z.ZodType,
>(declaration: ToolDeclaration<T, string, string, Need, Code, I, O>): Tool<T["facts"], T["plan"]> {
  checkZod(declaration.name, declaration.input);
  checkZod(declaration.name, declaration.output);
  const parameters = Object.keys(declaration.input.shape);
  const tool: Tool<T["facts"], T["plan"]> = {
    ...headOf<T["facts"]>(declaration),
    effects: [declaration.effect],
    actions: [],
    hasParameter: (name) => parameters.includes(name),
    withActions(names) {
      if (names.length > 0) throw new Error(`${declaration.name} has no actions.`);
      return tool;
    },
    inputSchema: () => wireSchema(declaration.input, "input"),
    outputSchema: () => wireSchema(declaration.output, "output"),
    parse(args, others = []) {
      const parsed = declaration.input.safeParse(args, { reportInput: true });
      if (!parsed.success)
        return failed(describeIssues(declaration.name, parsed.error.issues, [...parameters, ...others]));
      return ok(bindWork(declaration, undefined, parsed.data));
    },
  };
  return tool;
}

/** The part of a declaration that all tools of all servers share. */
export interface ToolBasics {
  /** 1 to 64 characters of `[a-z0-9_]`: clients prefix it, and several reject more. */
  readonly name: string;
  /** The display name. */
  readonly title: string;
  /** Describes to the model what the tool does, when to use it and which tool to call next. */
  readonly description: string;
  /** Search phrases, comma-separated, such as "add people to a list, group accounts". */
  readonly searchWords?: string;
  /** True for the few tools that clients with their own tool search should always load. */
  readonly isAlwaysLoaded?: boolean;
  /** Hints for clients that do not follow from the effect, such as of a search that stores what it finds. */
  readonly hints?: Partial<Hints>;
  /** Default 30 seconds; `Infinity` for a tool that waits for nothing outside, or ends by itself. */
  readonly deadlineMs?: number;
  /** The maximum answer in bytes; the rest is cut, and the answer explains how to get it. Default 40,000. */
  readonly maxBytes?: number;
  /** How to get what was cut, for example "Call again with `cursor`." */
  readonly goOn?: string;
  /** URI of the resource that displays its answers, `ui://…`, for clients with MCP Apps. */
  readonly app?: string;
  /**
   * True if answers have content beyond the envelope, such as pictures. They have no structured content or
   * output schema.
   */
  readonly hasContent?: boolean;
  /** OAuth scopes a remote caller needs. */
  readonly scopes?: readonly string[];
}

/** The part of a product's declaration that tools with and without actions share. */
export type ToolHead<Facts, Category extends string, Profile extends string, Need, Code> = ToolBasics & {
  /** The category by which clients and users select tools. */
  readonly category: Category;
  /** True if the tool reaches something outside of your control. */
  readonly openWorld: boolean;
  /** The profiles that list the tool. */
  readonly profiles: readonly Profile[];
  /** The services that the handler uses. */
  readonly needs: readonly Need[];
  /** All codes the handler can fail with. */
  readonly errors: readonly Code[];
} & (undefined extends Facts ? { readonly facts?: Facts } : { readonly facts: Facts });

/** The work of a tool or action, with its types. */
export interface Work<
  Services,
  Code extends string,
  Notes,
  Plan,
  I extends z.ZodObject,
  O extends z.ZodType,
> {
  /** The effect of a call on the world. MCP hints and guards follow from it. */
  readonly effect: Effect;
  /** A strict object: undeclared arguments are errors. */
  readonly input: I;
  /** The schema of the value that the handler returns. */
  readonly output: O;
  /** Returns what a call with this input would do, without doing it. */
  readonly plan?: (input: z.output<I>) => Plan;
  /** Does the work, with the parsed arguments and the services in `needs`. */
  readonly handler: (
    input: z.output<I>,
    context: Services & RunTools,
  ) => Awaitable<RunOutcome<z.input<O>, NoInfer<Code>, Notes>>;
}

export type RunOutcome<T, Code extends string, Notes> = Outcome<T, Failure<Code>, Notes> | Asks;

type Awaitable<T> = T | Promise<T>;

const DEADLINE_MS = 30_000;
/** Below the 50,000 characters at which one major client moves answers to a file. */
const MAX_BYTES = 40_000;
const GO_ON = "Ask for less, or for the next page.";

export function headOf<Facts>(declaration: ToolHead<Facts, string, string, string, string>) {
  return {
    name: declaration.name,
    title: declaration.title,
    description: declaration.description,
    searchWords: declaration.searchWords ?? "",
    isAlwaysLoaded: declaration.isAlwaysLoaded ?? false,
    hints: declaration.hints ?? {},
    category: declaration.category,
    profiles: declaration.profiles,
    needs: declaration.needs,
    errors: declaration.errors,
    openWorld: declaration.openWorld,
    deadlineMs: declaration.deadlineMs ?? DEADLINE_MS,
    maxBytes: declaration.maxBytes ?? MAX_BYTES,
    goOn: declaration.goOn ?? GO_ON,
    app: declaration.app,
    hasContent: declaration.hasContent ?? false,
    scopes: declaration.scopes ?? [],
    facts: declaration.facts as Facts,
  } satisfies Partial<Tool<Facts>>;
}

/** Thrown if a tool's answer violates its own output schema: a bug in the tool. */
export class OutputMismatch extends Error {
  override readonly name = "OutputMismatch";
}

/** Binds parsed arguments to the handler, and checks its output. */
export function bindWork<
  Services,
  Code extends string,
  Notes,
  Plan,
  I extends z.ZodObject,
  O extends z.ZodType,
>(
  work: Work<Services, Code, Notes, Plan, I, O>,
  action: string | undefined,
  input: z.output<I>,
): ParsedCall<Plan> {
  let plan: Plan | undefined;
  return {
    action,
    effect: work.effect,
    // JSON, except values such as dates or URLs, which digests and logs can write.
    input: input as JsonObject,
    plan: () => (plan ??= work.plan?.(input)),
    async run(context: RunTools & object): Promise<AnyOutcome> {
      const running = work.handler(input, context as Services & RunTools);
      // Awaiting a ready value would cost a microtask.
      const outcome = running instanceof Promise ? await running : running;
      if (!outcome.ok) return outcome;
      const checked = work.output.safeParse(outcome.value);
      if (!checked.success) throw new OutputMismatch(checked.error.message);
      // The output schema has a JSON Schema, so this is JSON.
      return { ...outcome, value: checked.data } as AnyOutcome;
    },
  };
}
