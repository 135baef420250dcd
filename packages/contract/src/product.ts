import type * as z from "zod";
import { type ActionToolDeclaration, actionTool } from "./action-tool.ts";
import { type GuardDefinition, type GuardOf, type GuardTypes, sealed } from "./call.ts";
import type { AnyErrorSet, CodeOf } from "./errors.ts";
import { emptyStack, type GuardStack } from "./guard-stack.ts";
import type { Observer } from "./observer.ts";
import { plainTool, type ToolDeclaration } from "./plain-tool.ts";
import type { ProductTypes, TypesOf } from "./product-types.ts";
import { type Resource, type ResourceDeclaration, resource } from "./resource.ts";
import type { Tool } from "./tool.ts";

/** What a product fixes once for all its tools. */
export interface ProductDefinition<
  Errors extends AnyErrorSet,
  Services,
  Category extends string,
  Profile extends string,
> {
  readonly errors: Errors;
  readonly categories: readonly Category[];
  readonly profiles: readonly Profile[];
  /** Each service, and the code of a call that needs it where it is not available. */
  readonly services: Readonly<Record<keyof Services & string, CodeOf<Errors>>>;
}

/** A product: what it fixes, and the functions that declare its tools, resources, guards and observers. */
export interface Product<
  T extends ProductTypes,
  Errors extends AnyErrorSet,
  Category extends string,
  Profile extends string,
> extends ProductDefinition<Errors, T["services"], Category, Profile> {
  /** Declares a tool that does one thing. Everything else about it is derived. */
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
  /** A guard that knows this product's facts, plans and annotations. */
  readonly guard: <Given extends Partial<GuardTypes> = object>(
    definition: GuardDefinition<T["facts"], T["plan"], T["annotations"], Given, CodeOf<Errors>>,
  ) => GuardOf<T["facts"], T["plan"], T["annotations"], Given, CodeOf<Errors>>;
  /** A stack without guards, to which `use` adds them in order. */
  readonly guardStack: (
    name: string,
  ) => GuardStack<T["facts"], T["plan"], T["annotations"], T["notes"], object, object, CodeOf<Errors>>;
  /** An observer that knows this product's facts, plans and context. */
  readonly observer: (
    observer: Observer<T["facts"], T["plan"], Partial<T["context"]>, Partial<T["annotations"]>>,
  ) => Observer<T["facts"], T["plan"], Partial<T["context"]>, Partial<T["annotations"]>>;
}

/**
 * Fixes a product's types, errors, categories, profiles and services, and gives the functions that declare its tools.
 * The types are given by name, each optional; the rest is read from the definition.
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
