import type { Asking, Asks, Caller, Failed, Failure } from "@toolpact/contract";
import {
  askPerson as askThePerson,
  type Consent,
  formatShown,
  type NoConsent,
} from "@toolpact/contract/internal/guards";
import { formatUsd, microsOf } from "@toolpact/contract/internal/money";
import { formatDuration, formatLines, oneLine, quotedLines } from "@toolpact/contract/internal/text";
import { agentName } from "../agents/agent.ts";
import { errors } from "../errors.ts";
import type { ApprovalContext } from "../guards/approval/approval-context.ts";
import type { Schedule, Series } from "../guards/approval/ask-for-approval.ts";
import { IDEMPOTENCY_KEY } from "../guards/receipts/receipt.ts";
import type { QueuedMutation } from "./item.ts";

export interface ConsentOptions {
  readonly to: "approve" | "reject";
  readonly caller: Caller;
  readonly rules: DecisionRules;
  readonly view: ItemView;
  /** A simulated clock may run faster than people read. */
  readonly realNow: number;
}

/** As configured under `approvals`. */
export interface DecisionRules {
  readonly allow_agent: boolean;
  /** Trusts answers over HTTP with the token. */
  readonly http_client_asks_person: boolean;
}

export interface ItemView {
  /** The acting account's id. */
  readonly account: string;
  readonly now: number;
  /** By SHA-256. */
  readonly mediaNames: ReadonlyMap<string, string>;
}

/** Or says where they can decide. An agent's token is the agent's. */
export function askPerson(
  ask: Asking,
  items: readonly QueuedMutation[],
  { to, caller, rules, view, realNow }: ConsentOptions,
): Consent | Asks | Failed<Failure<"policy_denied_hard_rule">> {
  const asked = askThePerson(ask, items, {
    to,
    caller,
    rules: {
      allowsAgent: rules.allow_agent,
      trustsHttp: (principal) => rules.http_client_asks_person && agentName(principal) === undefined,
    },
    now: realNow,
    show: (item) => formatItem(item, view),
  });
  return asked.ok === false ? noConsent(asked.failure, to, items) : asked;
}

function noConsent(
  failure: NoConsent,
  to: ConsentOptions["to"],
  items: readonly QueuedMutation[],
): Failed<Failure<"policy_denied_hard_rule">> {
  if (failure.kind === "needs_person")
    return errors.fail(
      "policy_denied_hard_rule",
      `Only a person can decide this, and ${failure.why}. ${stillWaiting(items)} Nothing was sent.`,
      {
        reason: "needs_person",
        policyDecision: "denied",
        suggestedFix: "Tell the person to run `tuitbot approve`.",
        fixBy: "human",
      },
    );
  return errors.fail(
    "policy_denied_hard_rule",
    to === "approve"
      ? `The person did not approve. ${stillWaiting(items)} Nothing was sent.`
      : "The person did not reject it. It still waits for approval.",
    { reason: "not_approved", policyDecision: "denied", fixBy: "human" },
  );
}

function stillWaiting(items: readonly QueuedMutation[]): string {
  const ids = items.map(({ id }) => id).join(", ");
  if (ids === "") return "Nothing waits any more.";
  return items.length === 1 ? `Item ${ids} still waits.` : `Items ${ids} still wait.`;
}

/** Everything that will be sent, to the last character. */
export function formatItem(item: QueuedMutation, { account, now, mediaNames }: ItemView): string {
  const { id, tool, schedule, estimatedUsd, createdAt, expiresAt } = item;
  const name = item.context?.account ?? `account ${account}`;
  return formatShown({
    ...item,
    title: `Item ${id}: ${tool}${estimatedUsd > 0 ? `, about ${formatUsd(microsOf(estimatedUsd))}` : ""}`,
    facts: `As ${oneLine(name)}, asked for ${formatDuration(now - createdAt)} ago${item.principal === undefined ? "" : ` by ${oneLine(item.principal)}`}, expires in ${formatDuration(expiresAt - now)}`,
    args: shownArgs(item),
    more: [
      ...noteLines(item),
      ...(schedule === undefined ? [] : scheduleLines(schedule)),
      ...mediaLines(item, mediaNames),
      ...formatContext(item, now),
    ],
  });
}

/** Without the idempotency key, or a series' first text, which is listed with the others. */
export function shownArgs({ args, schedule }: Pick<QueuedMutation, "args" | "schedule">) {
  return Object.entries(args).filter(
    ([name]) => name !== IDEMPOTENCY_KEY && !(schedule?.series !== undefined && name === "text"),
  );
}

export function mediaLines(
  { media }: Pick<QueuedMutation, "media">,
  names: ItemView["mediaNames"],
): readonly string[] {
  return media.map((digest) => {
    const name = names.get(digest);
    return `media: ${name === undefined ? "" : `${JSON.stringify(oneLine(name))}, `}SHA-256 ${digest}`;
  });
}

/** Marked as the agent's words. */
export function noteLines({ agentNote }: Pick<QueuedMutation, "agentNote">): readonly string[] {
  return agentNote === undefined ? [] : ["Note from the agent, not published:", ...quotedLines(agentNote)];
}

/** The time of a scheduled item, and its files. */
export function scheduleLines(
  { at, media, series }: Schedule,
  timeOf: (at: string) => string = (time) => time,
): readonly string[] {
  return [
    ...(series === undefined ? [`goes out at: ${oneLine(timeOf(at))}`] : seriesLines(series, timeOf)),
    ...media.map(({ post, file_path, alt_text }) =>
      [
        `file of post ${post}: ${oneLine(String(file_path))}`,
        ...(alt_text === undefined ? [] : [`(${oneLine(String(alt_text))})`]),
      ].join(" "),
    ),
  ];
}

/** Each text once, with all its times. */
function seriesLines({ repeats, until, posts }: Series, timeOf: (at: string) => string): readonly string[] {
  const texts = [...new Set(posts.map(({ args }) => String(args.text)))];
  return [
    `${posts.length} posts, ${oneLine(repeats)} until ${oneLine(timeOf(until))}. You approve all of them:`,
    ...texts.flatMap((text) => [
      ...quotedLines(text),
      ...posts
        .filter(({ args }) => args.text === text)
        .map((post) => `  goes out at: ${oneLine(timeOf(post.at))}`),
    ]),
  ];
}

/** Others' words are marked. */
export function formatContext(
  { context, schedule }: Pick<QueuedMutation, "context" | "schedule">,
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
