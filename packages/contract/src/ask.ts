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
  can(kind: AskKind): boolean;
  /**
   * True if the client may support forms, but this connection cannot carry one: HTTP without sessions before
   * 2026-07-28.
   */
  readonly unreachable: boolean;
  /** With `unasked`, includes answers sent before the question. Those must not grant permission. */
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
