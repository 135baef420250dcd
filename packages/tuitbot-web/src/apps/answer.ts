import { parseJson } from "../format/json.ts";
import type { ToolResult } from "./host.ts";

/** An answer of tuitbot: every tool answers in this form. */
export interface Answer {
  readonly success: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: string | undefined;
}

/** Reads the answer of a tool; hosts hand on the structured form, the text, or both. */
export function answerOf({ structuredContent, content }: ToolResult): Answer {
  const [first] = content ?? [];
  const envelope = structuredContent ?? (first?.type === "text" ? parseJson(first.text) : {});
  const { success, data, error } = membersOf(envelope);
  const { message } = membersOf(error);
  return {
    success: success === true,
    data: membersOf(data),
    error: message === undefined ? undefined : String(message),
  };
}

export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Null and primitives become objects without named members.
  return Object(value) as Record<string, unknown>;
}

/** The approval items that an answer names. */
export function itemsIn({ data }: Answer): readonly number[] {
  const listed = [data.items, data.results].flatMap((list) => (Array.isArray(list) ? list : []));
  const ids = [
    data.approval_queue_id,
    ...listed.flatMap((one) => [membersOf(one).approval_queue_id, idOf(one)]),
  ];
  return [...new Set(ids.filter((id) => typeof id === "number"))];
}

/** Items of the list of approvals have their id alone; what is published has ids of X, which are text. */
function idOf(one: unknown): unknown {
  const { action_type, id } = membersOf(one);
  return action_type === undefined ? undefined : id;
}

/** The texts that an answer or the arguments of a call would publish. */
export function textsIn(data: Readonly<Record<string, unknown>>): readonly string[] {
  const lists = [data.texts, data.tweets, data.thread, data.thread_tweets].filter((list) =>
    Array.isArray(list),
  );
  const [list = [data.tweet ?? data.reply ?? data.text]] = lists;
  return list.filter((text) => typeof text === "string");
}
