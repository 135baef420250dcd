import type { JsonObject } from "./json.ts";

/** The types that a product fixes for all its tools, guards and services. */
export interface ProductTypes {
  /** What tools may need, by name. */
  readonly services: object;
  /** What a tool may say beside its value, as the product's envelope format has room for. */
  readonly notes: unknown;
  /** What is known about a tool before any call, beyond what the contract knows: for guards and the manifest. */
  readonly facts: unknown;
  /** What one call would do, computed from its input without doing it. */
  readonly plan: unknown;
  /**
   * What guards add to a call: what its services are built from, and what observers see. Each of them may find any
   * member missing, since not every guard stands before every tool.
   */
  readonly context: object;
  /** What guards may add to the metadata of an answer. */
  readonly annotations: JsonObject;
}

/** The metadata of an answer to which guards add nothing. */
export interface NoAnnotations {
  readonly [key: string]: never;
}

/** All types of a product, of which it gave some. */
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
