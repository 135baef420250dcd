import type { Outcome } from "@toolpact/outcome";
import type { Failure } from "./errors.ts";
import type { Json, JsonObject, JsonSchema } from "./json.ts";

/** How a product writes its answers: one outcome, one envelope. */
export interface EnvelopeFormat<Annotations = never, Notes = never> {
  readonly name: string;
  readonly render: (outcome: Outcome<Json, Failure, Notes>, context: RenderContext<Annotations>) => Rendered;
  /** The envelope of an answer that was cut to the tool's byte budget, with a note that says so. */
  readonly noteCut: (envelope: JsonObject, cut: Cut) => JsonObject;
  /** The schema of the whole answer of a tool whose value has this schema. */
  readonly outputSchema: (value: JsonSchema) => JsonSchema;
}

/** The facts about a call that its answer is rendered with. */
export interface RenderContext<Annotations> {
  readonly call: { readonly id: string; readonly tool: string; readonly action: string | undefined };
  readonly elapsedMs: number;
  /** Metadata that guards added to the answer. */
  readonly annotations: Partial<Annotations>;
  readonly warnings: readonly string[];
}

/** The part that an answer leaves out, and how to get it. */
export interface Cut {
  readonly what: string;
  readonly goOn: string;
}

/** One rendered answer. */
export interface Rendered {
  /** The envelope; its JSON is the text of the answer. */
  readonly envelope: JsonObject | undefined;
  /** Blocks beside or instead of the text, such as images. */
  readonly content?: readonly ContentBlock[];
}

/** A part of an answer or of a prompt, as MCP has it. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
    }
  | { readonly type: "resource"; readonly resource: ResourceText };

export interface ResourceText {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}
