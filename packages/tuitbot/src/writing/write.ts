import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { type Access, parsePost } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import { errors } from "../errors.ts";
import type { Session } from "../storage/session.ts";
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
import { recentFrameworks } from "./history.ts";
import type { Llm, Writer } from "./llm.ts";
import { recordUse } from "./usage.ts";
import { winningPosts } from "./winning-posts.ts";

/** What writing needs. */
export interface Desk extends Session {
  readonly llm: Llm;
  readonly config: Config;
  readonly access: Access;
  readonly random: () => number;
  readonly now: () => number;
}

export interface ReplyAsk {
  readonly post: StrangersPost;
  /** Whether the author mentioned or quoted this account; without it most plans may not reply. */
  readonly isSummoned: boolean;
  /** Chosen where absent. */
  readonly archetype?: Archetype | undefined;
  readonly mentionProduct?: boolean | undefined;
}

export interface WrittenReply extends Written {
  readonly archetype: Archetype;
}

/** A reply, unless X would not take one. The text has passed every check. */
export async function draftReply(
  desk: Desk,
  { post, isSummoned, archetype, mentionProduct = false }: ReplyAsk,
  signal: AbortSignal,
): Promise<Outcome<WrittenReply, Failure<"llm_error" | "x_forbidden">>> {
  const refusal = refusedByX("reply", desk.access, { isSummoned });
  if (refusal !== undefined) return refusal;
  const given = await common(desk, "reply", ARCHETYPES, archetype);
  const written = await textsFor(desk, { ...given, purpose: "reply", mentionProduct, post }, signal);
  return written.ok ? ok({ ...single(written.value, desk), archetype: given.framework }) : written;
}

export interface TweetAsk {
  readonly topic: string;
  /** Chosen where absent. */
  readonly format?: Format | undefined;
}

export interface WrittenTweet extends Written {
  readonly topic: string;
  readonly format: Format;
}

export async function draftTweet(
  desk: Desk,
  { topic, format }: TweetAsk,
  signal: AbortSignal,
): Promise<Outcome<WrittenTweet, Failure<"llm_error">>> {
  const given = await common(desk, "tweet", FORMATS, format);
  const written = await textsFor(desk, { ...given, purpose: "tweet", mentionProduct: true, topic }, signal);
  return written.ok ? ok({ ...single(written.value, desk), topic, format: given.framework }) : written;
}

export interface ThreadAsk {
  readonly topic: string;
  readonly objective?: string | undefined;
  readonly audience?: string | undefined;
  /** Chosen where absent. */
  readonly structure?: Structure | undefined;
}

export interface WrittenThread {
  readonly texts: readonly string[];
  readonly topic: string;
  readonly structure: Structure;
  readonly writer: Writer;
}

export async function draftThread(
  desk: Desk,
  { topic, objective, audience, structure }: ThreadAsk,
  signal: AbortSignal,
): Promise<Outcome<WrittenThread, Failure<"llm_error">>> {
  const given = await common(desk, "thread", STRUCTURES, structure);
  const assignment = {
    ...given,
    purpose: "thread",
    mentionProduct: true,
    topic,
    objective,
    audience,
  } as const;
  const written = await textsFor(desk, assignment, signal);
  return written.ok
    ? ok({ texts: written.value, topic, structure: given.framework, writer: desk.llm.writer })
    : written;
}

interface Written {
  readonly text: string;
  /** As X counts it. */
  readonly weightedLength: number;
  readonly writer: Writer;
}

function single([text = ""]: readonly string[], { llm }: Desk): Written {
  return { text, weightedLength: parsePost(text).weighted_length, writer: llm.writer };
}

/** What all assignments of a kind have in common: a framework named or chosen, and what did well before. */
async function common<Name extends string>(
  desk: Desk,
  purpose: Purpose,
  table: Readonly<Record<Name, Framework>>,
  named: Name | undefined,
) {
  const [recent, examples] = await Promise.all([
    named === undefined ? recentFrameworks(desk, purpose) : [],
    winningPosts(desk, purpose),
  ]);
  const framework = named ?? chooseFramework(table, recent, desk.random);
  const { instruction } = table[framework];
  return { business: desk.config.business, framework, instruction, examples };
}

/** Texts that pass. What does not is asked for once more, with the reason, and nothing is ever cut to fit. */
async function textsFor(
  desk: Desk,
  assignment: Assignment,
  signal: AbortSignal,
): Promise<Outcome<readonly string[], Failure<"llm_error">>> {
  const { llm, config, access } = desk;
  const rules = { banned: config.limits.banned_phrases, access };
  let complaint: Complaint | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answer = await llm.write({ ...assignment, refusedFor: complaint?.words }, signal);
    await recordUse(desk, llm.writer, assignment, answer.ok ? answer.value : undefined);
    if (!answer.ok) return answer;
    const texts = textsOf(answer.value, assignment, rules);
    if (texts.ok) return texts;
    complaint = texts.failure;
  }
  return errors.fail("llm_error", `The language model wrote nothing usable: ${complaint?.words}.`, {
    reason: "unusable",
    suggestedFix: "Try again with other words, or write the text yourself.",
    fixBy: "agent",
    details: { problem: complaint?.problem ?? "empty" },
  });
}

const ATTEMPTS = 2;
