import type { Call } from "./call.ts";
import type { Failure } from "./errors.ts";
import type { Json, JsonObject, JsonSchema } from "./json.ts";
import type { Outcome } from "./outcome.ts";

/** How a product tells an outcome: one internal value, one envelope. */
export interface Dialect<Extras = unknown> {
  readonly name: string;
  readonly render: (outcome: Outcome<Json, Failure, unknown>, telling: Telling<Extras>) => Rendered;
  /** The envelope of an answer that was cut to the tool's byte budget, saying so. */
  readonly noteCut: (envelope: JsonObject, cut: Cut) => JsonObject;
  /** The schema of the whole answer of a tool whose value has this schema. */
  readonly outputSchema: (value: JsonSchema) => JsonSchema;
}

/** What is known about a call when its answer is rendered. */
export interface Telling<Extras = unknown> {
  readonly call: Pick<Call, "id" | "action"> & { readonly tool: string };
  readonly elapsedMs: number;
  readonly extras: Partial<Extras>;
  readonly warnings: readonly string[];
}

/** What an answer leaves out, and how to get it. */
export interface Cut {
  readonly what: string;
  readonly goOn: string;
}

/** One answer, told. */
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
