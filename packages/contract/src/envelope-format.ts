import type { Outcome } from "@toolpact/outcome";
import type { Failure } from "./errors.ts";
import type { Json, JsonObject, JsonSchema } from "./json.ts";

/** How a product writes its answers: one envelope per outcome. */
export interface EnvelopeFormat<Annotations = never, Notes = never> {
  readonly name: string;
  readonly render: (outcome: Outcome<Json, Failure, Notes>, context: RenderContext<Annotations>) => Rendered;
  readonly noteCut: (envelope: JsonObject, cut: Cut) => JsonObject;
  /** The schema of the whole answer of a tool whose value has this schema. */
  readonly outputSchema: (value: JsonSchema) => JsonSchema;
}

export interface RenderContext<Annotations> {
  readonly call: { readonly id: string; readonly tool: string; readonly action: string | undefined };
  readonly elapsedMs: number;
  readonly annotations: Partial<Annotations>;
  readonly warnings: readonly string[];
}

/** The cut part of an answer, and how to get it. */
export interface Cut {
  readonly what: string;
  readonly goOn: string;
}

export interface Rendered {
  /** The envelope; its JSON is the text of the answer. */
  readonly envelope: JsonObject | undefined;
  /** Content blocks in addition to or instead of the text, such as images. */
  readonly content?: readonly ContentBlock[];
}

/** A content block of an answer or prompt, as in MCP. */
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
