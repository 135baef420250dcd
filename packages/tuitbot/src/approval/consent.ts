import { type Asking, type Asks, askFor, type Caller, type Failed, type Failure } from "@toolpact/contract";
import * as z from "zod";
import { errors } from "../errors.ts";
import { agentName } from "../mutation/agents/agent.ts";
import type { ApprovalContext } from "../mutation/policy/approval-context.ts";
import type { Schedule, Series } from "../mutation/policy/ask-for-approval.ts";
import { IDEMPOTENCY_KEY } from "../mutation/receipts/call-identity.ts";
import type { ApprovalItem } from "./item.ts";
import { peopleLine } from "./vote.ts";

export interface ConsentOptions {
  /** What the person is asked to confirm. */
  readonly to: "approve" | "reject";
  readonly caller: Caller;
  readonly rules: DecisionRules;
  readonly view: ItemView;
}

/** Whose decisions count, as configured under `approvals`. */
export interface DecisionRules {
  /** Whether the agent may decide. */
  readonly allow_agent: boolean;
  /** Whether an answer over HTTP is taken for a person's, if it comes with the token. */
  readonly http_client_asks_person: boolean;
}

/** What is shown to the person besides the item. */
export interface ItemView {
  /** Id of the account that the call acts for. */
  readonly account: string;
  readonly now: number;
  /** File names of its media, by SHA-256. */
  readonly mediaNames: ReadonlyMap<string, string>;
}

/** The decided items, with the digests of the content that was shown. */
export interface Consent {
  readonly ok: true;
  readonly items: readonly { readonly id: number; readonly digest: string }[];
  /** Who decided, through what. */
  readonly by: string;
  /** Why, in the person's words. */
  readonly reason?: string | undefined;
}

/**
 * Asks the person behind the client and shows exactly what would be done. An agent cannot decide in the person's place:
 * if the client cannot ask, or its answer would prove nothing, the failure says where the person can decide.
 */
export function askPerson(
  ask: Asking,
  items: readonly ApprovalItem[],
  { to, caller, rules, view }: ConsentOptions,
): Consent | Asks | Failed<Failure<"policy_denied_hard_rule">> {
  const seenItems = items.map(({ id, digest }) => ({ id, digest }));
  if (rules.allow_agent) return { ok: true, items: seenItems, by: deciderOf("agent", caller) };
  if (!reachesPerson(caller, rules)) return needsPerson("an answer over this connection does not prove one");
  if (!ask.can("form")) return needsPerson("this client cannot ask one");
  const form = FORMS[to];
  const reply = ask.reply(to);
  if (reply.kind === "missing") {
    const message = items.map((item) => formatItem(item, view)).join("\n\n");
    return askFor({ [to]: { kind: "form", message, schema: form } }, seenItems);
  }
  const agreed = reply.kind === "accepted" && form.safeParse(reply.content).success;
  if (!agreed || reply.content[to] !== true) return notConfirmed(to);
  // Only items that were shown count, whatever waits now.
  const seen = seenShape.safeParse(ask.state);
  return seen.success
    ? { ok: true, items: seen.data, by: deciderOf("person", caller), ...reasonIn(reply.content) }
    : needsPerson("the answer does not say what was shown");
}

function reasonIn({ reason }: Readonly<Record<string, unknown>>): Pick<Consent, "reason"> {
  return typeof reason === "string" && reason.trim() !== "" ? { reason: reason.trim() } : {};
}

/**
 * On stdio the client is the program that the person started. Over HTTP any program that may connect can declare that
 * it asks a person and then answer itself, so it counts only where the operator trusts whoever holds the token of the
 * server. The token of an agent is the agent's.
 */
function reachesPerson({ transport, principal }: Caller, rules: DecisionRules): boolean {
  return (
    transport === "stdio" ||
    (transport === "http" &&
      rules.http_client_asks_person &&
      principal !== undefined &&
      agentName(principal) === undefined)
  );
}

/** Who decided, through what. The name of a client is its own claim, so it is quoted and short. */
function deciderOf(kind: "person" | "agent", { transport, client, principal }: Caller): string {
  const name = client === undefined ? [] : [`client ${JSON.stringify(oneLine(client.slice(0, 60)))}`];
  return [`${kind} via ${transport}`, ...name, ...(principal === undefined ? [] : [principal])].join(", ");
}

/** Whether an agent decided, by the words that `askPerson` gives. */
export function isAgent(by: string | undefined): boolean {
  return by?.startsWith("agent via ") === true;
}

/** The longest reason for a decision. */
export const MOST_REASON = 500;

const FORMS = {
  approve: z.object({ approve: z.boolean().meta({ title: "Approve?" }) }),
  reject: z.object({
    reject: z.boolean().meta({ title: "Reject?" }),
    reason: z.string().max(MOST_REASON).optional().meta({ title: "Why? The agent reads this." }),
  }),
} as const;

const seenShape = z.array(z.object({ id: z.number(), digest: z.string() }));

function needsPerson(why: string): Failed<Failure<"policy_denied_hard_rule">> {
  return errors.fail(
    "policy_denied_hard_rule",
    `Only a person can decide this, and ${why}. Nothing was sent.`,
    {
      reason: "needs_person",
      policyDecision: "denied",
      suggestedFix: "Tell the person to run `tuitbot approve`.",
      fixBy: "human",
    },
  );
}

function notConfirmed(to: ConsentOptions["to"]): Failed<Failure<"policy_denied_hard_rule">> {
  return errors.fail(
    "policy_denied_hard_rule",
    to === "approve"
      ? "The person did not approve. Nothing was sent."
      : "The person did not reject it. It still waits for approval.",
    { reason: "not_approved", policyDecision: "denied", fixBy: "human" },
  );
}

/**
 * An item as text for a person: everything that will be sent, to the last character. Each line of its content is
 * marked, so that it cannot be mistaken for a line of ours.
 */
export function formatItem(item: ApprovalItem, { account, now, mediaNames }: ItemView): string {
  const { id, tool, media, schedule, reason, estimatedUsd, createdAt, expiresAt } = item;
  const name = item.context?.account ?? `account ${account}`;
  return [
    `Item ${id}: ${tool}${estimatedUsd > 0 ? `, about $${estimatedUsd}` : ""}`,
    `As ${oneLine(name)}, asked for ${formatDuration(now - createdAt)} ago${item.principal === undefined ? "" : ` by ${oneLine(item.principal)}`}, expires in ${formatDuration(expiresAt - now)}`,
    ...shownArgs(item).flatMap(([name, value]) => [`${oneLine(name)}:`, ...quoted(value)]),
    ...(schedule === undefined ? [] : scheduleLines(schedule)),
    ...media.map((digest) => {
      const name = mediaNames.get(digest);
      return `media: ${name === undefined ? "" : `${JSON.stringify(oneLine(name))}, `}SHA-256 ${digest}`;
    }),
    ...formatContext(item, now),
    `Why you are asked: ${oneLine(reason)}`,
    ...(peopleLine(item) === undefined ? [] : [oneLine(peopleLine(item) ?? "")]),
  ].join("\n");
}

/**
 * The arguments that a person decides about: without the key by which a call is told from others, and for recurring
 * posts without the text of the first, which stands with those of the others.
 */
export function shownArgs({ args, schedule }: Pick<ApprovalItem, "args" | "schedule">) {
  return Object.entries(args).filter(
    ([name]) => name !== IDEMPOTENCY_KEY && !(schedule?.series !== undefined && name === "text"),
  );
}

/** When a scheduled item goes out, and what its files are. */
export function scheduleLines({ at, media, series }: Schedule): readonly string[] {
  return [
    ...(series === undefined ? [`goes out at: ${oneLine(at)}`] : seriesLines(series)),
    ...media.map(({ post, file_path, alt_text }) =>
      [
        `file of post ${post}: ${oneLine(String(file_path))}`,
        ...(alt_text === undefined ? [] : [`(${oneLine(String(alt_text))})`]),
      ].join(" "),
    ),
  ];
}

/** Every post of a series: each text once, with all its times. */
function seriesLines({ repeats, until, posts }: Series): readonly string[] {
  const texts = [...new Set(posts.map(({ args }) => String(args.text)))];
  return [
    `${posts.length} posts, ${oneLine(repeats)} until ${oneLine(until)}. You approve all of them:`,
    ...texts.flatMap((text) => [
      ...quoted(text),
      ...posts.filter(({ args }) => args.text === text).map((post) => `  goes out at: ${oneLine(post.at)}`),
    ]),
  ];
}

/** What a call is about, as X showed it. The words of other people have marks of their own. */
export function formatContext(
  { context, schedule }: Pick<ApprovalItem, "context" | "schedule">,
  now: number,
): readonly string[] {
  if (context === undefined) return schedule === undefined ? ["What it is about was not read from X."] : [];
  const { role, post, thread, people, unknown, read_at } = context;
  const age = formatDuration(now - Date.parse(read_at));
  return [
    ...people.map(({ id, username, name }) => {
      const who = [username ?? `the person with the id ${id}`, ...(name === null ? [] : [`(${name})`])];
      return `For ${oneLine(who.join(" "))}`;
    }),
    ...(thread.length === 0 ? [] : ["The thread above, the first post first:"]),
    ...thread.flatMap((one) => formatPost(one, now)),
    ...(post === null
      ? []
      : [`${ROLES[role ?? "about"]}, as X showed it ${age} ago:`, ...formatPost(post, now)]),
    ...unknown.map(oneLine),
  ];
}

const ROLES = { answers: "Answers this post", quotes: "Quotes this post", about: "This post" } as const;

function formatPost(post: NonNullable<ApprovalContext["post"]>, now: number): readonly string[] {
  const { author = "unknown author", created_at, text = "" } = post;
  const written = created_at === undefined ? Number.NaN : Date.parse(created_at);
  const figures = FIGURES.flatMap((name) => (post[name] === undefined ? [] : [`${post[name]} ${name}`]));
  const facts = [
    author,
    ...(Number.isNaN(written) ? [] : [`${formatDuration(now - written)} old`]),
    ...figures,
  ];
  return [`┊ ${oneLine(facts.join(" · "))}`, ...formatLines(text).map((line) => `┊   ${line}`)];
}

const FIGURES = ["likes", "reposts", "replies", "quotes", "views"] as const;

/** A value in marked lines; the entries of a list are numbered. */
function quoted(value: unknown): readonly string[] {
  return formatLines(value).map((line) => `│ ${line}`);
}

/** A value as lines, with invisible characters escaped. */
export function formatLines(value: unknown): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((one, index) =>
      formatLines(one).map((line, at) => `${at === 0 ? `${index + 1}.` : "  "} ${line}`),
    );
  return escapeInvisible(typeof value === "string" ? value : JSON.stringify(value)).split("\n");
}

function oneLine(text: string): string {
  return escapeInvisible(text).replaceAll("\n", "<U+000A>");
}

/** A duration in its largest fitting unit. */
export function formatDuration(ms: number): string {
  const [size, unit] = UNITS.find(([size]) => ms >= size) ?? [1_000, "s"];
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/** Escapes characters that are invisible or reverse the order of others: a person approves what they see. */
export function escapeInvisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    PRINTED_AS_IS.has(character)
      ? character
      : `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}

/** Line breaks, tabs, and the joiner of emoji. */
const PRINTED_AS_IS: ReadonlySet<string> = new Set(["\n", "\t", "\u200d"]);
