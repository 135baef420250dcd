import type * as z from "zod";
import type { Json, JsonObject } from "./json.ts";

/** The call cannot go on without an answer from the person or the client behind it. */
export interface Asks {
  readonly ok: null;
  readonly asks: Readonly<Record<string, AskRequest>>;
  /** Handed back, signed, when the call is made again with the answers. */
  readonly state?: Json;
}

/** One question: a form or a page for the person, a prompt for the client's model, or the folders it works in. */
export type AskRequest =
  | { readonly kind: "form"; readonly message: string; readonly schema: z.ZodObject }
  | { readonly kind: "url"; readonly message: string; readonly url: string }
  | { readonly kind: "sample"; readonly prompt: string; readonly maxTokens: number }
  | { readonly kind: "roots" };

export type AskKind = AskRequest["kind"];

/** One answer, as untrusted as any other input. */
export type Reply =
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly action: "decline" | "cancel" }
  | { readonly kind: "accepted"; readonly content: JsonObject }
  | { readonly kind: "sample"; readonly text: string }
  | { readonly kind: "roots"; readonly uris: readonly string[] };

/** How a tool reaches the person behind the client. */
export interface Asking {
  /** Whether this client can be asked this kind of thing. */
  can(kind: AskKind): boolean;
  /**
   * Whether the client may have declared that it can be asked, while this connection cannot carry a question: HTTP
   * without sessions in the protocol before 2026. Nobody's word may then stand in for the person's.
   */
  readonly unreachable: boolean;
  /**
   * The answer under `key` to a question of this very call. With `unasked`, an answer also counts that the client
   * gave before it was asked, which must never permit anything.
   */
  reply(key: string, options?: { readonly unasked?: boolean }): Reply;
  /** The state given with the question, verified. */
  readonly state: Json | undefined;
}

/** A client that can be asked nothing, such as a command line without a person. */
export const noElicitation: Asking = {
  can: () => false,
  unreachable: false,
  reply: () => ({ kind: "missing" }),
  state: undefined,
};

/**
 * Stops the call and asks. The whole call runs again once the answers are there, so nothing may have been
 * changed before this point.
 *
 * ```ts
 * function run(_input: object, { ask }: RunTools) {
 *   const reply = ask.reply("name");
 *   if (reply.kind !== "missing") return ok({ reply });
 *   return askFor({ name: { kind: "form", message: "Whose?", schema: z.object({ name: z.string() }) } });
 * }
 * ```
 */
export function askFor(asks: Readonly<Record<string, AskRequest>>, state?: Json): Asks {
  return state === undefined ? { ok: null, asks } : { ok: null, asks, state };
}
