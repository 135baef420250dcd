import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import { type Access, parsePost } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import { errors } from "../errors.ts";
import { judgeReply } from "../injection/judge.ts";
import { ownPosts } from "../injection/own-material.ts";
import type { Session } from "../storage/store.ts";
import { refusedByX } from "../x/toolkit/preflight.ts";
import type { Assignment, Purpose, StrangersPost } from "./assignment.ts";
import { type Complaint, textsOf } from "./check.ts";
import {
  ARCHETYPES,
  type Archetype,
  chooseFramework,
  FORMATS,
  type Format,
  type Framework,
  STRUCTURES,
  type Structure,
} from "./frameworks.ts";
import type { Llm, Writer } from "./llm.ts";
import { recentFrameworks, recordUse } from "./usage.ts";

export interface WritingContext extends Session {
  readonly llm: Llm;
  readonly config: Config;
  readonly access: Access;
  readonly random: () => number;
  readonly now: () => number;
}

export interface ReplyRequest {
  readonly post: StrangersPost;
  /** The author called on this account; most plans allow a reply only then. */
  readonly isSummoned: boolean;
  /** Default: chosen. */
  readonly archetype?: Archetype | undefined;
  readonly mentionProduct?: boolean | undefined;
  /** Returns suspicious texts too, if the guards will ask a person. */
  readonly keepsFlagged?: boolean | undefined;
}

export interface WrittenReply extends Written {
  readonly archetype: Archetype;
}

/** Passes every check, unless X would reject a reply. */
export async function draftReply(
  context: WritingContext,
  { post, isSummoned, archetype, mentionProduct = false, keepsFlagged = false }: ReplyRequest,
  signal: AbortSignal,
): Promise<Outcome<WrittenReply, Failure<"llm_error" | "x_forbidden">>> {
  const refusal = refusedByX("reply", context.access, { isSummoned });
  if (refusal !== undefined) return refusal;
  const given = await common(context, "reply", ARCHETYPES, archetype);
  const published = await ownPosts(context);
  const assignment = { ...given, purpose: "reply", mentionProduct, post, ownPosts: published } as const;
  const isFlagged = async (text: string) =>
    (await judgeReply(context, context.config.business, post, text)) !== undefined;
  const written = await textsFor(context, assignment, signal, keepsFlagged ? isFlagged : undefined);
  return written.ok ? ok({ ...single(written.value, context), archetype: given.framework }) : written;
}

export interface TweetRequest {
  readonly topic: string;
  /** Default: chosen. */
  readonly format?: Format | undefined;
}

export interface WrittenTweet extends Written {
  readonly topic: string;
  readonly format: Format;
}

export async function draftTweet(
  context: WritingContext,
  { topic, format }: TweetRequest,
  signal: AbortSignal,
): Promise<Outcome<WrittenTweet, Failure<"llm_error">>> {
  const given = await common(context, "tweet", FORMATS, format);
  const written = await textsFor(
    context,
    { ...given, purpose: "tweet", mentionProduct: true, topic },
    signal,
  );
  return written.ok ? ok({ ...single(written.value, context), topic, format: given.framework }) : written;
}

export interface ThreadRequest {
  readonly topic: string;
  readonly objective?: string | undefined;
  readonly audience?: string | undefined;
  /** Default: chosen. */
  readonly structure?: Structure | undefined;
  /** Still allowed; default a day's limit. */
  readonly mostPosts?: number | undefined;
}

/** Within the limits. */
export const THREAD_SIZE = [4, 8] as const;

function threadSize(mostPosts: number): readonly [number, number] {
  const most = Math.max(2, Math.min(THREAD_SIZE[1], mostPosts));
  return [Math.min(THREAD_SIZE[0], most), most];
}

export interface WrittenThread {
  readonly texts: readonly string[];
  readonly topic: string;
  readonly structure: Structure;
  readonly writer: Writer;
}

export async function draftThread(
  context: WritingContext,
  { topic, objective, audience, structure, mostPosts }: ThreadRequest,
  signal: AbortSignal,
): Promise<Outcome<WrittenThread, Failure<"llm_error">>> {
  const given = await common(context, "thread", STRUCTURES, structure);
  const assignment = {
    ...given,
    purpose: "thread",
    size: threadSize(mostPosts ?? context.config.limits.max_tweets_per_day),
    mentionProduct: true,
    topic,
    objective,
    audience,
  } as const;
  const written = await textsFor(context, assignment, signal);
  return written.ok
    ? ok({ texts: written.value, topic, structure: given.framework, writer: context.llm.writer })
    : written;
}

interface Written {
  readonly text: string;
  /** As X counts. */
  readonly weightedLength: number;
  readonly writer: Writer;
}

function single([text = ""]: readonly string[], { llm }: WritingContext): Written {
  return { text, weightedLength: parsePost(text).weighted_length, writer: llm.writer };
}

/** The framework and examples. */
async function common<Name extends string>(
  context: WritingContext,
  purpose: Purpose,
  table: Readonly<Record<Name, Framework>>,
  named: Name | undefined,
) {
  const [recent, examples] = await Promise.all([
    named === undefined ? recentFrameworks(context, purpose) : [],
    winningPosts(context, purpose),
  ]);
  const framework = named ?? chooseFramework(table, recent, context.random);
  const { instruction } = table[framework];
  return { business: context.config.business, framework, instruction, examples };
}

/**
 * A rejected text is requested once more, with the reason; nothing is shortened. `keeps` returns one that a
 * user may still publish.
 */
async function textsFor(
  context: WritingContext,
  assignment: Assignment,
  signal: AbortSignal,
  keeps?: (text: string) => Promise<boolean>,
): Promise<Outcome<readonly string[], Failure<"llm_error">>> {
  const { llm, config, access } = context;
  const rules = { banned: config.limits.banned_phrases, access };
  let complaint: Complaint | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answer = await llm.write({ ...assignment, refusedFor: complaint?.words }, signal);
    await recordUse(context, llm.writer, assignment, answer.ok ? answer.value : undefined);
    if (!answer.ok) return answer;
    const texts = textsOf(answer.value, assignment, rules);
    if (texts.ok) return texts;
    complaint = texts.failure;
  }
  if (complaint?.text !== undefined && (await keeps?.(complaint.text))) return ok([complaint.text]);
  return errors.fail("llm_error", `The language model wrote no usable text: ${complaint?.words}.`, {
    reason: "unusable",
    suggestedFix: "Try again with a different request, or write the text yourself.",
    fixBy: "agent",
    details: { problem: complaint?.problem ?? "empty" },
  });
}

const ATTEMPTS = 2;

/** Without quotes, which the text does not show. */
export function mentionsUser(text: string, username: string): boolean {
  const name = username.toLowerCase();
  return parsePost(text).mentions.some(({ handle }) => handle.toLowerCase() === name);
}

/** Recent, best first. */
export async function winningPosts(
  { store, account, now }: Pick<WritingContext, "store" | "account" | "now">,
  purpose: Purpose,
): Promise<readonly string[]> {
  const rows = await store.db
    .selectFrom("measurements")
    .innerJoin("publications", (join) =>
      join
        .onRef("publications.account", "=", "measurements.account")
        .onRef("publications.post_id", "=", "measurements.post_id"),
    )
    .select(["publications.text", "publications.published_at", "measurements.score"])
    .where("measurements.account", "=", account)
    .where("publications.kind", "=", purpose)
    .where("publications.position", "=", 0)
    .where("measurements.score", ">", 0)
    .orderBy("publications.published_at", "desc")
    .limit(CONSIDERED)
    .execute();
  return rows
    .map(({ text, published_at, score }) => ({ text, weight: score * decay(now() - published_at) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_EXAMPLES)
    .map(({ text }) => text);
}

const CONSIDERED = 50;
const MAX_EXAMPLES = 5;
const HALF_LIFE_DAYS = 14;

/** Halves every two weeks. */
function decay(ageMs: number): number {
  return 0.5 ** (ageMs / DAY_MS / HALF_LIFE_DAYS);
}
