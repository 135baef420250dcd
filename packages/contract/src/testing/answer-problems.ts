import { isDeepStrictEqual } from "node:util";
import type { AnyErrorSet } from "../errors.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../json.ts";
import type { Manifest } from "../manifest.ts";
import type { RawAnswer } from "./raw-connection.ts";

export interface EnvelopeEnd {
  /** Undefined for a success. */
  readonly code: string | undefined;
  readonly message?: string;
  readonly retryable?: boolean;
}

export type ReadEnvelope = (envelope: Json | undefined) => EnvelopeEnd | undefined;

interface Promises {
  readonly errors: AnyErrorSet;
  readonly manifest?: Manifest;
  readonly readEnvelope?: ReadEnvelope;
}

/** Each violated rule, as the end of "the tool …". */
export function problemsOf(tool: string, answer: RawAnswer, promises: Promises): string[] {
  if (answer.kind === "no answer") return ["gave no answer in time"];
  const problems = STACK.test(answer.text) ? ["shows a stack"] : [];
  if (answer.kind === "protocol error")
    return [
      ...problems,
      `answers outside the envelope, with the protocol error ${firstWord(answer.message)}`,
    ];
  const { content, isError = false } = answer.result;
  const envelope = envelopeOf(answer.result);
  const end = (promises.readEnvelope ?? readEnvelope)(envelope);
  if (end === undefined) return [...problems, "answers outside the envelope"];
  if (isError !== (end.code !== undefined)) problems.push("says in isError otherwise than in the envelope");
  if (!textAgrees(content, envelope)) problems.push("says other things as text than as an envelope");
  if (end.code !== undefined) problems.push(...failureProblems(tool, end, end.code, promises));
  return problems;
}

function failureProblems(
  tool: string,
  { message = "", retryable }: EnvelopeEnd,
  code: string,
  { errors, manifest }: Promises,
): string[] {
  const problems: string[] = [];
  const row = Object.hasOwn(errors.rows, code) ? errors.rows[code] : undefined;
  if (row === undefined) return [`answers with the code ${code}, which is not in the set`];
  if (code === errors.roles.internal) problems.push(`fails because of a bug, with ${code}`);
  else if (manifest !== undefined && !codesOf(manifest, tool).includes(code))
    problems.push(`answers with the code ${code}, which the manifest does not promise`);
  if (retryable !== undefined && retryable !== row.retryable)
    problems.push(`says retryable: ${retryable} for ${code}`);
  if (message.trim() === "") problems.push(`fails with ${code} and does not say why`);
  if (UNSAFE.test(message)) problems.push("puts control characters of its arguments into a message");
  return problems;
}

function codesOf({ tools, common_error_codes }: Manifest, tool: string): readonly string[] {
  const entry = tools.find(({ name }) => name === tool);
  return [...(entry?.possible_error_codes ?? []), ...common_error_codes];
}

/** A line of V8's stack, or a file of Node or a dependency. */
const STACK = /(?:\\n|\n)\s+at (?:\S+ )?\(?\S+:\d+:\d+\)?|node:internal\/|\/node_modules\//;

/** They change how a terminal or page shows the text around them. */
const UNSAFE = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

/** Either format of this library. */
export function readEnvelope(envelope: Json | undefined): EnvelopeEnd | undefined {
  if (!isJsonObject(envelope)) return undefined;
  const { success, ok, error, data, result } = envelope;
  const succeeded = success ?? ok;
  if (typeof succeeded !== "boolean" || (data === undefined && result === undefined)) return undefined;
  if (succeeded) return error === undefined || error === null ? { code: undefined } : undefined;
  if (typeof error !== "object" || error === null) return undefined;
  const { code, message, retryable } = error as JsonObject;
  if (typeof code !== "string" || typeof message !== "string" || typeof retryable !== "boolean")
    return undefined;
  return { code, message, retryable };
}

/** With more content, such as a picture, it is only in the first text. */
export function envelopeOf({ structuredContent, content }: AnsweredContent): Json | undefined {
  const isAlone = !Array.isArray(content) || content.length < 2;
  // From the wire, so it is JSON.
  return (structuredContent as Json | undefined) ?? (isAlone ? undefined : firstText(content));
}

interface AnsweredContent {
  readonly structuredContent?: unknown;
  readonly content?: unknown;
}

function textAgrees(content: Json | undefined, envelope: Json | undefined): boolean {
  const text = firstText(content);
  return text === undefined || isDeepStrictEqual(text, envelope);
}

/** Undefined if the block is no text, null if the text is no JSON. */
function firstText(content: unknown): Json | undefined {
  const [first] = (Array.isArray(content) ? content : []) as readonly JsonObject[];
  if (first?.type !== "text" || typeof first.text !== "string") return undefined;
  return parseJson(first.text) ?? null;
}

function firstWord(message: string): string {
  return message.split(" ", 1)[0] ?? "";
}
