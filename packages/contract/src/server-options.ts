import type { Outcome } from "@toolpact/outcome";
import type * as z from "zod";
import type { Action, DefineAction } from "./action-tool.ts";
import type { Guard } from "./call.ts";
import type { Clock } from "./clock.ts";
import type { ToolBasics, Work } from "./declaration.ts";
import type { AnyErrorSet, CodeOf } from "./errors.ts";
import type { SuccessNotes } from "./formats/success-envelope.ts";
import type { Journal } from "./guards/journal.ts";
import type { protect } from "./guards/protect.ts";
import type { ProtectedCall } from "./guards/protect-options.ts";
import type { GuardStorage } from "./guards/storage.ts";
import type { McpApp, McpAppOptions } from "./mcp/app.ts";
import type { Observer } from "./observer.ts";
import type { Bug } from "./pipeline.ts";
import type { Missing, NoAnnotations, ProductTypes } from "./product.ts";
import type { Prompt } from "./prompt.ts";
import type { Resource, ResourceDeclaration } from "./resource.ts";
import type { Tool } from "./tool.ts";

/** The parts of a server. Only its name and version are required. */
export interface ServerOptions<
  Errors extends AnyErrorSet,
  Guards extends readonly AnyGuard<string>[],
  Factories extends ServiceFactories<never>,
> {
  /** The name shown by clients. */
  readonly name: string;
  /** The version of your server. */
  readonly version: string;
  /** Explains to the model what the server is for and how its tools work together. */
  readonly instructions?: string;
  /** The closed set of errors, from `defineErrors`. Default: the common errors. */
  readonly errors?: Errors;
  /** Your own guards, in order. They run after the deadline and before repeated calls are rejected. */
  readonly guards?: readonly [...Guards] & CheckedGuards<Guards>;
  /**
   * A factory for each service that tools can list in `needs`. Called for each call, with the context
   * added by guards; returns `ok(service)` or a failure. Share expensive state with `once`.
   */
  readonly services?: Factories & ServiceFactories<ContextOf<Guards>>;
}

/** The functions that declare the parts of a server and combine them. */
export interface Server<Errors extends AnyErrorSet, Factories> {
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
  /** Declares a resource. No guard runs in front of it, so it can only use services without context. */
  readonly resource: <Need extends PlainService<Factories> = never>(
    declaration: ServerResource<ServicesOf<Factories>, Need, CodeOf<Errors>>,
  ) => Resource;
  /** Builds the app that `serveStdio`, `serveHttp` and `serveFetch` serve. */
  readonly app: (parts: AppParts) => McpApp;
}

/** The declared parts that an app serves. */
export interface AppParts {
  /** The tools, in any order: they are listed by name. */
  readonly tools: readonly Tool[];
  /** Content that clients read by URI. Default: none. */
  readonly resources?: readonly Resource[];
  /** Predefined messages for users. Default: none. */
  readonly prompts?: readonly Prompt[];
  /** Called for each call that has ended, such as `audit`, `callLog` or `openTelemetry`. */
  readonly observers?: readonly Observer[];
  /** Called with each bug and its reference for the caller. Default: writes to stderr. */
  readonly onBug?: (bug: Bug) => void;
  /** A clock for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Called with each server of the MCP SDK, for features that this library does not wrap. */
  readonly withSdkServer?: McpAppOptions["withSdkServer"];
  /** Signs pending questions; at least 32 bytes, the same in each replica. Default: random. */
  readonly stateKey?: string;
}

export type ServerTool<
  Services,
  Need extends keyof Services,
  Code extends string,
  I extends z.ZodObject,
  O extends z.ZodType,
> = ServerToolHead<Need, Code> & Work<Pick<Services, Need>, Code, SuccessNotes, unknown, I, O>;

export type ServerActionTool<
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
  /** The display name. Default: derived from `name`. */
  readonly title?: string;
  /** The services used by the handler. Default: none. */
  readonly needs?: readonly Need[];
  /** The codes the handler can fail with. Default: none. */
  readonly errors?: readonly Code[];
  /** False if the tool reaches nothing outside your control. Default true, as in MCP. */
  readonly openWorld?: boolean;
}

type ServerResource<Services, Need extends keyof Services, Code extends string> = Omit<
  ResourceDeclaration<Services, Need, Code>,
  "needs"
> & {
  /** The services used by `read`. Default: none. */
  readonly needs?: readonly Need[];
};

export type ProtectGuard = ReturnType<typeof protect>;

/** The guard of `protect` and its storage. */
export type Protection =
  | { readonly protect?: never; readonly guardStorage?: never }
  | {
      /** The guard returned by `protect`. It runs last, and replaces the rejection of equal calls. */
      readonly protect: ProtectGuard;
      /** Opens the storage of `protect`. Called with the first call of a tool. */
      readonly guardStorage: () => GuardStorage | Promise<GuardStorage>;
    };

export type AnyGuard<Code extends string> = Guard<
  unknown,
  unknown,
  never,
  GivenDependencies,
  never,
  object,
  Code
>;

/** Guards import everything else themselves. */
export interface GivenDependencies {
  readonly clock: Clock;
}

export type ServiceFactories<Context> = Readonly<
  Record<string, (context: Context, signal: AbortSignal) => Provided | Promise<Provided>>
>;

type Provided = Outcome<unknown, Missing>;

export type ServicesOf<Factories> = {
  readonly [K in keyof Factories]: Factories[K] extends (...args: never) => infer Made
    ? Extract<Awaited<Made>, { readonly ok: true }> extends { readonly value: infer Service }
      ? Service
      : never
    : never;
};

export interface ServerTypes<Services extends object> extends ProductTypes {
  readonly services: Services;
  readonly notes: SuccessNotes;
  readonly annotations: NoAnnotations;
}

type PlainService<Factories> = {
  [K in keyof Factories]: Factories[K] extends () => unknown ? K : never;
}[keyof Factories] &
  string;

/** In addition to your own guards' context. */
export interface ServiceContext extends Pick<ProtectedCall, "receiptId" | "itemId"> {
  /** Records requests for `sendRecorded`, if `protect` counts them. */
  readonly journal: Pick<Journal, "beforeSend">;
}

/** All guards' contexts combined. */
type ContextOf<Guards extends readonly unknown[], Context = ServiceContext> = Guards extends readonly [
  Guard<infer _F, infer _P, infer _A, infer _D, infer _R, infer Adds>,
  ...infer Rest,
]
  ? ContextOf<Rest, Context & Adds>
  : Context;

/** If a guard's required context is missing, a type that names the guard. */
type CheckedGuards<Guards extends readonly unknown[], Context = object> = Guards extends readonly [
  Guard<infer _F, infer _P, infer _A, infer _D, infer Requires, infer Adds>,
  ...infer Rest,
]
  ? Context extends Requires
    ? readonly [unknown, ...CheckedGuards<Rest, Context & Adds>]
    : readonly ["A guard in front of this one must add", Requires]
  : readonly unknown[];
