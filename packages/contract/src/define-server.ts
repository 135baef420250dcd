import { type Outcome, ok } from "@toolpact/outcome";
import type * as z from "zod";
import { type Action, actionTool, type DefineAction } from "./action-tool.ts";
import { bugText } from "./bug-text.ts";
import type { Guard } from "./call.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { ToolBasics, Work } from "./declaration.ts";
import { type AnyErrorSet, type CodeOf, defineErrors } from "./errors.ts";
import { type SuccessNotes, successEnvelope } from "./formats/success-envelope.ts";
import { deadline } from "./guards/deadline.ts";
import { idempotency, RecentCalls } from "./guards/idempotency.ts";
import type { Journal } from "./guards/journal.ts";
import type { protect } from "./guards/protect.ts";
import type { ProtectedCall, Unprotected } from "./guards/protect-options.ts";
import type { GuardStorage } from "./guards/storage.ts";
import type { McpApp, McpAppOptions } from "./mcp/app.ts";
import { oneStackApp } from "./mcp/one-stack-app.ts";
import type { Observer } from "./observer.ts";
import { checkSdk } from "./peer-versions.ts";
import type { Bug } from "./pipeline.ts";
import { plainTool } from "./plain-tool.ts";
import { defineProduct, type Missing, type NoAnnotations, type ProductTypes } from "./product.ts";
import type { Prompt } from "./prompt.ts";
import { type Resource, type ResourceDeclaration, resource } from "./resource.ts";
import type { Tool } from "./tool.ts";

/** The parts of a server. Only its name and version are required. */
export interface ServerOptions<
  Errors extends AnyErrorSet,
  Guards extends readonly AnyGuard<string>[],
  Factories extends ServiceFactories<never>,
> {
  /** The name that clients show. */
  readonly name: string;
  /** The version of your server. */
  readonly version: string;
  /** Tells the model what the server is for and how its tools belong together. */
  readonly instructions?: string;
  /** The closed set of errors, from `defineErrors`. The common errors unless given. */
  readonly errors?: Errors;
  /** Your own guards, in order. They run after the deadline and before repeated calls are refused. */
  readonly guards?: readonly [...Guards] & CheckedGuards<Guards>;
  /**
   * A factory for each service that tools can list in `needs`. It is called for each call, with the context that the
   * guards added, and returns `ok(service)` or a failure. Share what is expensive with `once`.
   */
  readonly services?: Factories & ServiceFactories<ContextOf<Guards>>;
}

/** The functions that declare the parts of one server, and the one that puts them together. */
export interface Server<Errors extends AnyErrorSet, Factories> {
  /** The closed set of errors of this server. */
  readonly errors: Errors;
  /** Declares a tool that does one thing. */
  readonly tool: <
    I extends z.ZodObject,
    O extends z.ZodType,
    Need extends keyof Factories & string = never,
    Code extends CodeOf<Errors> = never,
  >(
    declaration: ServerTool<ServicesOf<Factories>, Need, Code, I, O>,
  ) => Tool;
  /** Declares a tool with an `action` argument, for several actions on the same thing. */
  readonly actionTool: <Need extends keyof Factories & string = never, Code extends CodeOf<Errors> = never>(
    declaration: ServerActionTool<ServicesOf<Factories>, Need, CodeOf<Errors>, Code>,
  ) => Tool;
  /** Declares a resource. No guard runs in front of it, so it can only need services that use no context. */
  readonly resource: <Need extends PlainService<Factories> = never>(
    declaration: ServerResource<ServicesOf<Factories>, Need, CodeOf<Errors>>,
  ) => Resource;
  /** Builds the app that `serveStdio`, `serveHttp` and `serveFetch` serve. */
  readonly app: (parts: AppParts) => McpApp;
}

/** The declared parts that an app serves. */
export interface AppParts {
  /** The tools, in any order: clients list them by name. */
  readonly tools: readonly Tool[];
  /** Content that clients read by its address. None unless given. */
  readonly resources?: readonly Resource[];
  /** Messages that users can start from. None unless given. */
  readonly prompts?: readonly Prompt[];
  /** Called with each call that has ended, such as `audit`, `callLog` or `openTelemetry`. */
  readonly observers?: readonly Observer[];
  /** Called with each bug and the reference that the caller got. Writes to stderr unless given. */
  readonly onBug?: (bug: Bug) => void;
  /** A clock for tests. The system's clock unless given. */
  readonly clock?: Clock | undefined;
  /** Called with each server of the MCP SDK, for features that this library does not wrap. */
  readonly withSdkServer?: McpAppOptions["withSdkServer"];
  /** Signs pending questions; at least 32 bytes, the same in each replica. Random unless given. */
  readonly stateKey?: string;
}

/** The declaration of a tool of a server made with `defineServer`. */
export type ServerTool<
  Services,
  Need extends keyof Services,
  Code extends string,
  I extends z.ZodObject,
  O extends z.ZodType,
> = ServerToolHead<Need, Code> & Work<Pick<Services, Need>, Code, SuccessNotes, unknown, I, O>;

type ServerActionTool<
  Services,
  Need extends keyof Services,
  Known extends string,
  Code extends Known,
> = ServerToolHead<Need, Code> & {
  /** The actions by name, each declared with the given function. */
  readonly actions: (
    action: DefineAction<Pick<Services, Need>, Known, Code, SuccessNotes, unknown>,
  ) => Readonly<Record<string, Action>>;
};

interface ServerToolHead<Need, Code> extends Omit<ToolBasics, "title"> {
  /** The name that people read. Made from `name` unless given. */
  readonly title?: string;
  /** The services that the handler uses. None unless given. */
  readonly needs?: readonly Need[];
  /** The codes that the handler can fail with. None unless given. */
  readonly errors?: readonly Code[];
  /** False if the tool reaches nothing outside of your control. True unless given, as in MCP. */
  readonly openWorld?: boolean;
}

type ServerResource<Services, Need extends keyof Services, Code extends string> = Omit<
  ResourceDeclaration<Services, Need, Code>,
  "needs"
> & {
  /** The services that `read` uses. None unless given. */
  readonly needs?: readonly Need[];
};

type ProtectGuard = ReturnType<typeof protect>;

/** The guard of `protect` and the storage that it needs. */
type Protection =
  | { readonly protect?: never; readonly guardStorage?: never }
  | {
      /** The guard that `protect` returns. It runs last, in place of the refusal of equal calls. */
      readonly protect: ProtectGuard;
      /** Opens the storage of `protect`. Called with the first call of a tool. */
      readonly guardStorage: () => GuardStorage | Promise<GuardStorage>;
    };

type AnyGuard<Code extends string> = Guard<unknown, unknown, never, GivenDependencies, never, object, Code>;

/** Dependencies that guards of a server may declare. They import anything else themselves. */
interface GivenDependencies {
  readonly clock: Clock;
}

type ServiceFactories<Context> = Readonly<
  Record<string, (context: Context, signal: AbortSignal) => Provided | Promise<Provided>>
>;

type Provided = Outcome<unknown, Missing>;

type ServicesOf<Factories> = {
  readonly [K in keyof Factories]: Factories[K] extends (...args: never) => infer Made
    ? Extract<Awaited<Made>, { readonly ok: true }> extends { readonly value: infer Service }
      ? Service
      : never
    : never;
};

interface ServerTypes<Services extends object> extends ProductTypes {
  readonly services: Services;
  readonly notes: SuccessNotes;
  readonly annotations: NoAnnotations;
}

type PlainService<Factories> = {
  [K in keyof Factories]: Factories[K] extends () => unknown ? K : never;
}[keyof Factories] &
  string;

/** The context that services get in addition to that of your own guards. */
interface ServiceContext extends Pick<ProtectedCall, "receiptId" | "itemId"> {
  /** Records requests before they are sent, for `sendRecorded`. Records nothing unless `protect` counts the requests. */
  readonly journal: Pick<Journal, "beforeSend">;
}

const UNRECORDED: ServiceContext["journal"] = { beforeSend: async () => ok({}) };

/** The context that these guards add together. */
type ContextOf<Guards extends readonly unknown[], Context = ServiceContext> = Guards extends readonly [
  Guard<infer _F, infer _P, infer _A, infer _D, infer _R, infer Adds>,
  ...infer Rest,
]
  ? ContextOf<Rest, Context & Adds>
  : Context;

/** The same guards if each finds the context that it requires; otherwise a type that says which one does not. */
type CheckedGuards<Guards extends readonly unknown[], Context = object> = Guards extends readonly [
  Guard<infer _F, infer _P, infer _A, infer _D, infer Requires, infer Adds>,
  ...infer Rest,
]
  ? Context extends Requires
    ? readonly [unknown, ...CheckedGuards<Rest, Context & Adds>]
    : readonly ["A guard in front of this one must add", Requires]
  : readonly unknown[];

/**
 * Defines a server in one call. Each tool has a deadline, and an equal call that changes something is refused for 30
 * seconds. Types of services, errors and context are inferred from the values.
 *
 * ```ts
 * const greeter = defineServer({ name: "greeter", version: "1.0.0" });
 * const greet = greeter.tool({
 *   name: "greet",
 *   description: "Greet a person by name.",
 *   effect: "none",
 *   errors: ["not_found"],
 *   input: z.strictObject({ name: z.string().describe("Whom to greet") }),
 *   output: z.object({ greeting: z.string() }),
 *   handler: ({ name }) =>
 *     name === "" ? greeter.errors.fail("not_found", "No name.") : ok({ greeting: `Hello ${name}` }),
 * });
 * serveStdio(greeter.app({ tools: [greet] }));
 * ```
 */
export function defineServer<
  const Guards extends readonly AnyGuard<CodeOf<Errors>>[] = readonly [],
  Factories extends ServiceFactories<never> = Record<never, never>,
  Errors extends AnyErrorSet = CommonErrors,
>(options: ServerOptions<Errors, Guards, Factories> & Protection): Server<Errors, Factories> {
  type Name = keyof Factories & string;
  type Types = ServerTypes<ServicesOf<Factories>>;
  // Without `errors`, their type is the default.
  const errors = options.errors ?? (commonErrors as AnyErrorSet as Errors);
  // The stack adds the context that their types require, as `CheckedGuards` and `ContextOf` have checked.
  const guards = (options.guards ?? []) as readonly Guard[];
  const services = Object.fromEntries(
    Object.entries((options.services ?? {}) as ServiceFactories<object>).map(([name, factory]) => [
      name,
      withJournal(factory),
    ]),
  );
  const format = successEnvelope(errors);
  const product = defineProduct<{ services: Record<string, unknown>; notes: SuccessNotes }>()({
    errors,
    categories: [ALL],
    profiles: [ALL],
    services: Object.fromEntries(Object.keys(services).map((name) => [name, errors.roles.internal])),
  });
  const stackOn = (clock: Clock) => {
    const before = guards.reduce((stack, guard) => stack.use(guard), product.guardStack(ALL).use(deadline));
    const { protect, guardStorage } = options;
    return protect === undefined
      ? before.use(idempotency).answering(format).bind({ clock, recentCalls: new RecentCalls() })
      : before.use(openedLate(protect, guardStorage)).answering(format).bind({ clock });
  };
  return {
    errors,
    tool: <I extends z.ZodObject, O extends z.ZodType, Need extends Name, Code extends CodeOf<Errors>>(
      declaration: ServerTool<ServicesOf<Factories>, Need, Code, I, O>,
    ) => plainTool<Types, Need, Code, I, O>({ ...withDefaults(declaration), ...declaration }),
    actionTool: <Need extends Name, Code extends CodeOf<Errors>>(
      declaration: ServerActionTool<ServicesOf<Factories>, Need, CodeOf<Errors>, Code>,
    ) => actionTool<Types, Need, CodeOf<Errors>, Code>({ ...withDefaults(declaration), ...declaration }),
    resource: (declaration) => resource({ needs: [], ...declaration }),
    app({ clock = systemClock, onBug = reportBug, ...parts }) {
      checkSdk();
      const stack = stackOn(clock);
      for (const tool of parts.tools) checkTool(tool, stack.codesFor(tool), services, errors);
      const { name, version, instructions = "" } = options;
      return oneStackApp({ name, version, instructions, product, stack, services, onBug, ...parts });
    },
  };
}

const ALL = "all";

type Factory = ServiceFactories<object>[string];

function withJournal(factory: Factory): Factory {
  return (context, signal) => factory({ journal: UNRECORDED, ...context }, signal);
}

/** The same guard, whose storage is opened with the first call. A failed attempt is repeated by the next call. */
function openedLate(
  guard: ProtectGuard,
  open: () => GuardStorage | Promise<GuardStorage>,
): Guard<unknown, unknown, never, GivenDependencies, Unprotected, ProtectedCall> {
  let opening: Promise<GuardStorage> | undefined;
  const storage = async () => {
    opening ??= Promise.resolve(open());
    return opening.catch((error) => {
      opening = undefined;
      throw error;
    });
  };
  return {
    ...guard,
    run: async (call, next, { clock }) => guard.run(call, next, { clock, guardStorage: await storage() }),
  };
}

type CommonErrors = typeof commonErrors;

const commonErrors = defineErrors({});

function withDefaults({ name, title = titleOf(name) }: { readonly name: string; readonly title?: string }) {
  return { category: ALL, profiles: [ALL], needs: [], errors: [], openWorld: true, title };
}

/** `add_note` is "Add note". */
function titleOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Throws if a tool of another server, or a guard with a code of another set, is used here. */
function checkTool(tool: Tool, guardCodes: readonly string[], services: object, errors: AnyErrorSet): void {
  const service = tool.needs.find((need) => !Object.hasOwn(services, need));
  if (service !== undefined)
    throw new Error(`${tool.name} needs the service ${service}, which this server does not have.`);
  const code = [...tool.errors, ...guardCodes].find((one) => !Object.hasOwn(errors.rows, one));
  if (code !== undefined)
    throw new Error(
      `${tool.name} or a guard in front of it can fail with ${code}, which is not in the server's errors.`,
    );
}

function reportBug(bug: Bug): void {
  console.error(bugText(bug));
}
