import type * as z from "zod";
import type { Json, JsonObject } from "./json.ts";

/** The call needs an answer from the user or the client. */
export interface Asks {
  readonly ok: null;
  readonly asks: Readonly<Record<string, AskRequest>>;
  /** Returned, signed, when the call is repeated with the answers. */
  readonly state?: Json;
}

/** A question: a form or page for the user, a prompt for the client's model, or its workspace folders. */
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

/** Asks the person behind the client. */
export interface Asking {
  /** True if this client supports this kind of question. */
  can(kind: AskKind): boolean;
  /**
   * True if the client may have declared form support, but this connection cannot carry a question: HTTP
   * without sessions in the protocol before 2026. No other answer may then replace the user's.
   */
  readonly unreachable: boolean;
  /**
   * The answer under `key` to a question of this call. With `unasked`, answers the client sent
   * before the question count too; they must not grant permission.
   */
  reply(key: string, options?: { readonly unasked?: boolean }): Reply;
  /** The verified state from the question. */
  readonly state: Json | undefined;
}

/** A client that cannot be asked, such as a non-interactive command line. */
export const noElicitation: Asking = {
  can: () => false,
  unreachable: false,
  reply: () => ({ kind: "missing" }),
  state: undefined,
};

/**
 * Stops the call and asks. The whole call runs again once the answers arrive, so it must not have
 * changed anything before this point.
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
