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

/** The parts shared by all tools of a product. */
export interface ProductDefinition<
  Errors extends AnyErrorSet,
  Services,
  Category extends string,
  Profile extends string,
> {
  readonly errors: Errors;
  readonly categories: readonly Category[];
  readonly profiles: readonly Profile[];
  /** Each service, and the code of calls that need it while it is unavailable. */
  readonly services: Readonly<Record<keyof Services & string, CodeOf<Errors>>>;
}

/** A product: its fixed parts, and the functions that declare its tools, resources, guards and observers. */
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
  /** A guard typed with this product's facts, plans and annotations. */
  readonly guard: <Given extends Partial<GuardTypes> = object>(
    definition: GuardDefinition<T["facts"], T["plan"], T["annotations"], Given, CodeOf<Errors>>,
  ) => GuardOf<T["facts"], T["plan"], T["annotations"], Given, CodeOf<Errors>>;
  /** An empty stack; `use` adds guards in order. */
  readonly guardStack: (
    name: string,
  ) => GuardStack<T["facts"], T["plan"], T["annotations"], T["notes"], object, object, CodeOf<Errors>>;
  /** An observer typed with this product's facts, plans and context. */
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

/** How each service is built for one call, from the context added by guards. */
export type Providers<T extends ProductTypes> = {
  readonly [K in keyof T["services"]]: (
    context: Partial<T["context"]>,
    signal: AbortSignal,
  ) => Outcome<T["services"][K], Missing> | Promise<Outcome<T["services"][K], Missing>>;
};

/** The reason a service is unavailable, and the fix. */
export interface Missing {
  /** The code of the service, unless given. */
  readonly code?: string;
  readonly message: string;
  readonly suggestedFix?: string;
  readonly fixBy?: "agent" | "operator" | "human";
}

/** A product's services, built for each call that needs them. */
export interface Services<Context = object> {
  /** The named services, or the failure of the first unavailable one. */
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
      // A product's tools list only its own services.
      for (const name of needs as readonly Name[]) {
        const provided = await providers[name](context, signal);
        if (!provided.ok) return failed({ code: product.services[name], ...provided.failure });
        resolved[name] = provided.value;
      }
      return ok(resolved);
    },
  };
}

/** The types that a product fixes for all its tools, guards and services. */
export interface ProductTypes {
  /** Services that tools may need, by name. */
  readonly services: object;
  /** Annotations that a tool may add to its value, in the members of the product's envelope format. */
  readonly notes: unknown;
  /** Static facts about a tool, for guards and the manifest. */
  readonly facts: unknown;
  /** The plan of one call, computed from its input without running it. */
  readonly plan: unknown;
  /**
   * The context added by guards. Services are built from it, and observers see it. Any
   * member may be missing, because not every guard runs in front of every tool.
   */
  readonly context: object;
  /** Metadata that guards may add to an answer. */
  readonly annotations: JsonObject;
}

/** The metadata of an answer without annotations. */
export interface NoAnnotations {
  readonly [key: string]: never;
}

/** All types of a product; unspecified ones have defaults. */
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

/** The tools of a product, or of a profile, sorted by name. */
export interface Catalog<Facts = unknown, Plan = unknown> {
  readonly tools: readonly Tool<Facts, Plan>[];
  readonly get: (name: string) => Tool<Facts, Plan> | undefined;
  /** Narrows the selection; it cannot widen. */
  readonly select: (selection: Selection) => Catalog<Facts, Plan>;
}

interface Selection {
  readonly profile?: string;
  /** Categories to keep. */
  readonly toolsets?: readonly string[];
  /** Names to keep. */
  readonly tools?: readonly string[];
  readonly excludeTools?: readonly string[];
  /** Keeps only read-only tools, whatever else is requested. */
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
