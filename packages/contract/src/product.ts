import { failed, type Outcome, ok } from "@toolpact/outcome";
import type * as z from "zod";
import { type ActionToolDeclaration, actionTool } from "./action-tool.ts";
import { type GuardDefinition, type GuardOf, type GuardTypes, sealed } from "./call.ts";
import { plainTool, type ToolDeclaration } from "./declaration.ts";
import { EFFECTS } from "./effects.ts";
import type { AnyErrorSet, CodeOf, Failure } from "./errors.ts";
import { emptyStack, type GuardStack } from "./guard-stack.ts";
import type { JsonObject } from "./json.ts";
import type { Observer } from "./observer.ts";
import { type Resource, type ResourceDeclaration, resource } from "./resource.ts";
import type { Tool } from "./tool.ts";

export interface ProductDefinition<
  Errors extends AnyErrorSet,
  Services,
  Category extends string,
  Profile extends string,
> {
  readonly errors: Errors;
  readonly categories: readonly Category[];
  readonly profiles: readonly Profile[];
  /** With the code of calls that need a service while it is unavailable. */
  readonly services: Readonly<Record<keyof Services & string, CodeOf<Errors>>>;
}

export interface Product<
  T extends ProductTypes,
  Errors extends AnyErrorSet,
  Category extends string,
  Profile extends string,
> extends ProductDefinition<Errors, T["services"], Category, Profile> {
  /** Declares a tool that does one thing. The rest is derived. */
  readonly defineTool: <
    Need extends keyof T["services"] & string,
    Code extends CodeOf<Errors>,
    I extends z.ZodObject,
    O extends z.ZodType,
  >(
    declaration: ToolDeclaration<T, Category, Profile, Need, Code, I, O>,
  ) => Tool<T["facts"], T["plan"]>;
  /** Declares a tool of several actions. */
  readonly defineActionTool: <Need extends keyof T["services"] & string, Code extends CodeOf<Errors>>(
    declaration: ActionToolDeclaration<T, Category, Profile, Need, CodeOf<Errors>, Code>,
  ) => Tool<T["facts"], T["plan"]>;
  readonly defineResource: <Need extends keyof T["services"] & string>(
    declaration: ResourceDeclaration<T["services"], Need, CodeOf<Errors>>,
  ) => Resource;
  readonly guard: <Given extends Partial<GuardTypes> = object>(
    definition: GuardDefinition<T["facts"], T["plan"], T["annotations"], Given, CodeOf<Errors>>,
  ) => GuardOf<T["facts"], T["plan"], T["annotations"], Given, CodeOf<Errors>>;
  readonly guardStack: (
    name: string,
  ) => GuardStack<T["facts"], T["plan"], T["annotations"], T["notes"], object, object, CodeOf<Errors>>;
  readonly observer: (
    observer: Observer<T["facts"], T["plan"], Partial<T["context"]>, Partial<T["annotations"]>>,
  ) => Observer<T["facts"], T["plan"], Partial<T["context"]>, Partial<T["annotations"]>>;
}

/**
 * Fixes a product's types, errors, categories, profiles and services, and returns the functions that declare its tools.
 * Types are named and optional; the rest is inferred from the definition.
 *
 * ```ts
 * const { defineTool } = defineProduct<{ services: { store: Map<string, string> }; notes: SuccessNotes }>()({
 *   errors,
 *   categories: ["read", "write"],
 *   profiles: ["readonly", "full"],
 *   services: { store: "store_error" },
 * });
 * ```
 */
export function defineProduct<Given extends Partial<ProductTypes>>() {
  return <const Errors extends AnyErrorSet, const Category extends string, const Profile extends string>(
    definition: ProductDefinition<Errors, TypesOf<Given>["services"], Category, Profile>,
  ): Product<TypesOf<Given>, Errors, Category, Profile> => ({
    ...definition,
    defineTool: plainTool,
    defineActionTool: actionTool,
    defineResource: resource,
    guard: sealed,
    guardStack: (name) => emptyStack(name, definition.errors),
    observer: (observer) => observer,
  });
}

/** Each is built per call, from the guards' context. */
export type Providers<T extends ProductTypes> = {
  readonly [K in keyof T["services"]]: (
    context: Partial<T["context"]>,
    signal: AbortSignal,
  ) => Outcome<T["services"][K], Missing> | Promise<Outcome<T["services"][K], Missing>>;
};

/** Why a service is unavailable, and the fix. */
export interface Missing {
  /** Default: the service's code. */
  readonly code?: string;
  readonly message: string;
  readonly suggestedFix?: string;
  readonly fixBy?: "agent" | "operator" | "human";
}

/** Built for each call that needs them. */
export interface Services<Context = object> {
  readonly resolve: (
    needs: readonly string[],
    context: Context,
    signal: AbortSignal,
  ) => Promise<Outcome<object, Failure>>;
}

/**
 * Declares how services are built. A provider runs for every call that needs its service; state shared by
 * calls is created with `once`.
 *
 * ```ts
 * const open = once(async () => ok({ notes: new Map<string, string>() }));
 * const services = provideServices(product, { store: () => open() });
 * ```
 */
export function provideServices<
  T extends ProductTypes,
  E extends AnyErrorSet,
  C extends string,
  P extends string,
>(product: Product<T, E, C, P>, providers: Providers<T>): Services<Partial<T["context"]>> {
  type Name = keyof T["services"] & string;
  return {
    async resolve(needs, context, signal) {
      const resolved: Record<string, unknown> = {};
      // Tools list only their product's services.
      for (const name of needs as readonly Name[]) {
        const provided = await providers[name](context, signal);
        if (!provided.ok) return failed({ code: product.services[name], ...provided.failure });
        resolved[name] = provided.value;
      }
      return ok(resolved);
    },
  };
}

/** Fixed by a product for all its tools, guards and services. */
export interface ProductTypes {
  readonly services: object;
  /** A tool adds these to its value, in the envelope format's members. */
  readonly notes: unknown;
  /** Static, for guards and the manifest. */
  readonly facts: unknown;
  /** Computed from a call's input without running it. */
  readonly plan: unknown;
  /** Added by guards, for services and observers. Any member may be missing, because tools have different guards. */
  readonly context: object;
  /** Added to an answer by guards. */
  readonly annotations: JsonObject;
}

export interface NoAnnotations {
  readonly [key: string]: never;
}

export interface TypesOf<Given extends Partial<ProductTypes>> extends ProductTypes {
  readonly services: Member<Given, "services", object>;
  readonly notes: Member<Given, "notes", never>;
  readonly facts: Member<Given, "facts", unknown>;
  readonly plan: Member<Given, "plan", unknown>;
  readonly context: Member<Given, "context", object>;
  readonly annotations: Member<Given, "annotations", NoAnnotations>;
}

type Member<Given, Name extends keyof ProductTypes, Otherwise extends ProductTypes[Name]> = Given extends {
  readonly [N in Name]: infer Type extends ProductTypes[Name];
}
  ? Type
  : Otherwise;

/** Sorted by name. */
export interface Catalog<Facts = unknown, Plan = unknown> {
  readonly tools: readonly Tool<Facts, Plan>[];
  readonly get: (name: string) => Tool<Facts, Plan> | undefined;
  /** Cannot widen. */
  readonly select: (selection: Selection) => Catalog<Facts, Plan>;
}

interface Selection {
  readonly profile?: string;
  readonly toolsets?: readonly string[];
  readonly tools?: readonly string[];
  readonly excludeTools?: readonly string[];
  /** Overrides every other choice. */
  readonly readOnly?: boolean;
}

/**
 * Sorts tools. Throws on a name that clients would reject, and on a duplicate.
 *
 * ```ts
 * const readonly = catalog(tools).select({ profile: "readonly", readOnly: true });
 * ```
 */
export function catalog<Facts = unknown, Plan = unknown>(
  tools: readonly Tool<Facts, Plan>[],
): Catalog<Facts, Plan> {
  const byName = new Map<string, Tool<Facts, Plan>>();
  for (const tool of tools) {
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(tool.name))
      throw new Error(`${tool.name}: a tool's name is 1–64 of a–z, 0–9 and _.`);
    if (byName.has(tool.name)) throw new Error(`${tool.name} is declared twice.`);
    byName.set(tool.name, tool);
  }
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    tools: sorted,
    get: (name) => byName.get(name),
    select: (selection) => catalog(sorted.filter((tool) => selected(tool, selection))),
  };
}

function selected(tool: Tool, { profile, toolsets, tools, excludeTools, readOnly }: Selection): boolean {
  if (profile !== undefined && !tool.profiles.includes(profile)) return false;
  if (toolsets !== undefined && !toolsets.includes(tool.category)) return false;
  if (tools !== undefined && !tools.includes(tool.name)) return false;
  if (excludeTools?.includes(tool.name)) return false;
  return !(readOnly && tool.effects.some((effect) => EFFECTS[effect].mutates));
}
