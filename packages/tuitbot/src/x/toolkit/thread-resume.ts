import { createHmac, timingSafeEqual } from "node:crypto";
import { failed, type Outcome, ok } from "@toolpact/contract";
import { digest } from "@toolpact/contract/internal";
import * as z from "zod";

/** Kept by the caller, not by this server. */
export interface ThreadState {
  /** The account's id. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly begun: number;
  /** In order. */
  readonly posted: readonly string[];
  /** X gave no clear answer about it. */
  readonly isNextUncertain: boolean;
}

/** As the caller wrote it. */
export interface Part {
  readonly text: string;
  readonly mediaIds: readonly string[];
}

/** For the published texts only. Signed, or a forged handle could continue anybody's post. */
export function resumeHandle(key: Uint8Array, state: ThreadState, parts: readonly Part[]): string {
  const content = Buffer.from(
    JSON.stringify({ ...state, v: 2, texts: digestOf(settled(state, parts)) }),
  ).toString("base64url");
  return `${PREFIX}${content}.${signature(key, content).toString("base64url")}`;
}

/** Or why these texts cannot continue it. */
export function readResume(
  key: Uint8Array,
  handle: string,
  parts: readonly Part[],
): Outcome<ThreadState, string> {
  const sealed = sealedShape.safeParse(contentOf(key, handle));
  if (!sealed.success)
    return failed("It is not a handle that x_post_thread gave out here: pass it back exactly as it came.");
  const { by, begun, posted, isNextUncertain, texts } = sealed.data;
  const state: ThreadState = { by, begun, posted, isNextUncertain };
  if (settledCount(state) > parts.length)
    return failed("The thread has fewer posts than are out already: pass all its posts again.");
  if (digestOf(settled(state, parts)) !== texts) {
    return failed(
      "The posts that are out, or may be, were other ones: pass the same texts again. Those after them may change.",
    );
  }
  return ok(state);
}

const PREFIX = "thread_";

const sealedShape = z.strictObject({
  v: z.literal(2),
  by: z.string().regex(/^\d{1,19}$/),
  begun: z.int().min(0),
  posted: z.array(z.string().regex(/^\d{1,19}$/)),
  isNextUncertain: z.boolean(),
  texts: z.string(),
});

function settledCount({ posted, isNextUncertain }: ThreadState): number {
  return posted.length + (isNextUncertain ? 1 : 0);
}

function settled(state: ThreadState, parts: readonly Part[]): readonly Part[] {
  return parts.slice(0, settledCount(state));
}

function digestOf(parts: readonly Part[]): string {
  return digest(parts.map(({ text, mediaIds }) => [text, mediaIds]));
}

/** Undefined for other texts. */
function contentOf(key: Uint8Array, handle: string): unknown {
  const [, content, signed] = /^thread_([\w-]+)\.([\w-]+)$/.exec(handle) ?? [];
  if (content === undefined || signed === undefined) return undefined;
  const [given, ours] = [Buffer.from(signed, "base64url"), signature(key, content)];
  if (given.length !== ours.length || !timingSafeEqual(given, ours)) return undefined;
  return JSON.parse(Buffer.from(content, "base64url").toString("utf8"));
}

/** Names its purpose, because the key signs other things too. */
function signature(key: Uint8Array, content: string): Buffer {
  return createHmac("sha256", key).update(`${PREFIX}${content}`).digest();
}
