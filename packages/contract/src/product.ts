import type * as z from "zod";
import { type ActionToolDeclaration, actionTool } from "./action-tool.ts";
import type { AnyErrorSet, CodeOf } from "./errors.ts";
import { plainTool, type ToolDeclaration } from "./plain-tool.ts";
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
  /** Each service, and the code of a call that needs it where it is not to be had. */
  readonly services: Readonly<Record<keyof Services & string, CodeOf<Errors>>>;
}

/** A product: what it fixes, and the functions that declare its tools and resources. */
export interface Product<
  Errors extends AnyErrorSet,
  Services,
  Notes,
  Category extends string,
  Profile extends string,
> extends ProductDefinition<Errors, Services, Category, Profile> {
  /** Declares a tool that does one thing. Everything else about it is derived. */
  defineTool<
    Need extends keyof Services & string,
    Code extends CodeOf<Errors>,
    I extends z.ZodObject,
    O extends z.ZodType,
  >(declaration: ToolDeclaration<Category, Profile, Services, Need, Code, Notes, I, O>): Tool;
  /** Declares a tool of several actions. */
  defineActionTool<Need extends keyof Services & string, Code extends CodeOf<Errors>>(
    declaration: ActionToolDeclaration<Category, Profile, Services, Need, Code, Notes>,
  ): Tool;
  defineResource<Need extends keyof Services & string>(
    declaration: ResourceDeclaration<Services, Need, CodeOf<Errors>>,
  ): Resource;
}

/**
 * Fixes a product's services, notes, errors, categories and profiles, and gives the functions that declare its
 * tools. The types of services and notes are given, the rest is read from the definition.
 *
 * ```ts
 * const { defineTool } = defineProduct<{ store: Map<string, string> }, SuccessNotes>()({
 *   errors,
 *   categories: ["read", "write"],
 *   profiles: ["readonly", "full"],
 *   services: { store: "store_error" },
 * });
 * ```
 */
export function defineProduct<Services extends object, Notes>() {
  return <const Errors extends AnyErrorSet, const Category extends string, const Profile extends string>(
    definition: ProductDefinition<Errors, Services, Category, Profile>,
  ): Product<Errors, Services, Notes, Category, Profile> => ({
    ...definition,
    defineTool: plainTool,
    defineActionTool: actionTool,
    defineResource: resource,
  });
}
