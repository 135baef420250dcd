import { digest, failed, type Outcome, ok } from "@toolpact/contract";
import * as z from "zod";

/** What a thread that was cut in the middle has come to. It travels with the caller; this server keeps nothing. */
export interface ThreadState {
  /** Id of the account that posts. */
  readonly by: string;
  /** When the thread was begun, in epoch milliseconds. */
  readonly begun: number;
  /** Ids of the posts that are out, in order. */
  readonly posted: readonly string[];
  /** The next post may be out as well: X gave no clear answer. */
  readonly isNextUncertain: boolean;
}

/** One post of a thread as the caller wrote it. */
export interface Part {
  readonly text: string;
  readonly mediaIds: readonly string[];
}

/** A handle that continues the thread. It fits only the texts that are out, or may be. */
export function resumeHandle(state: ThreadState, parts: readonly Part[]): string {
  const sealed = { ...state, v: 1, texts: digestOf(settled(state, parts)) };
  return `${PREFIX}${Buffer.from(JSON.stringify(sealed)).toString("base64url")}`;
}

/** The state in a handle, or why it cannot be continued with these texts. */
export function readResume(handle: string, parts: readonly Part[]): Outcome<ThreadState, string> {
  const sealed = sealedShape.safeParse(jsonIn(handle));
  if (!sealed.success) return failed("It is not a handle of x_post_thread: pass it back exactly as it came.");
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
  v: z.literal(1),
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

function jsonIn(handle: string): unknown {
  try {
    return JSON.parse(Buffer.from(handle.slice(PREFIX.length), "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
