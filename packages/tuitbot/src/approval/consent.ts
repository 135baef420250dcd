import { type Asking, type Asks, askFor, type Failed, type Failure } from "@toolpact/contract";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { ApprovalItem } from "./item.ts";

export interface ConsentSetting {
  /** What the person is asked to agree to. */
  readonly to: "approve" | "reject";
  /** The operator lets the agent decide (`approvals.allow_agent`). */
  readonly allowAgent: boolean;
  readonly view: ItemView;
}

/** What a person has to know of an item beside itself. */
export interface ItemView {
  /** Id of the account in whose name it would be done. */
  readonly account: string;
  readonly now: number;
  /** Names of its media, by SHA-256. */
  readonly mediaNames: ReadonlyMap<string, string>;
}

/** Which items were decided, by the content that was shown. */
export interface Consented {
  readonly ok: true;
  readonly items: readonly { readonly id: number; readonly digest: string }[];
  readonly by: "person" | "agent";
}

/**
 * Asks the person behind the client, showing exactly what would be carried out. An agent cannot decide in the
 * person's place: where the client cannot ask, it is told where the person can.
 */
export function askPerson(
  ask: Asking,
  items: readonly ApprovalItem[],
  { to, allowAgent, view }: ConsentSetting,
): Consented | Asks | Failed<Failure<"policy_denied_hard_rule">> {
  const shown = items.map(({ id, digest }) => ({ id, digest }));
  if (allowAgent) return { ok: true, items: shown, by: "agent" };
  if (!ask.can("form")) return onlyAPerson();
  const form = FORMS[to];
  const reply = ask.reply(to);
  if (reply.kind === "missing") {
    const message = items.map((item) => shownItem(item, view)).join("\n\n");
    return askFor({ [to]: { kind: "form", message, schema: form } }, shown);
  }
  const agreed = reply.kind === "accepted" && form.safeParse(reply.content).success;
  if (!agreed || reply.content[to] !== true) return notAgreed(to);
  // Only what was on the screen counts, whatever waits by now.
  const seen = seenShape.safeParse(ask.state);
  return seen.success ? { ok: true, items: seen.data, by: "person" } : onlyAPerson();
}

const FORMS = {
  approve: z.object({ approve: z.boolean().meta({ title: "Approve?" }) }),
  reject: z.object({ reject: z.boolean().meta({ title: "Reject?" }) }),
} as const;

const seenShape = z.array(z.object({ id: z.number(), digest: z.string() }));

function onlyAPerson(): Failed<Failure<"policy_denied_hard_rule">> {
  return errors.fail(
    "policy_denied_hard_rule",
    "Only a person can decide this, and this client cannot ask one. Nothing was sent.",
    {
      reason: "needs_person",
      policyDecision: "denied",
      suggestedFix: "Tell the person to run `tuitbot approve`.",
      fixBy: "human",
    },
  );
}

function notAgreed(to: ConsentSetting["to"]): Failed<Failure<"policy_denied_hard_rule">> {
  return errors.fail(
    "policy_denied_hard_rule",
    to === "approve"
      ? "The person did not approve. Nothing was sent."
      : "The person did not reject it. It still waits.",
    { reason: "not_approved", policyDecision: "denied", fixBy: "human" },
  );
}

/**
 * An item as a person has to see it: everything that will be sent, to the last character. Each line of it is marked,
 * so that no text can pass for a line of ours.
 */
export function shownItem(item: ApprovalItem, { account, now, mediaNames }: ItemView): string {
  const { id, tool, args, media, reason, estimatedUsd, createdAt, expiresAt } = item;
  return [
    `Item ${id}: ${tool}${estimatedUsd > 0 ? `, about $${estimatedUsd}` : ""}`,
    `As account ${account}, asked for ${span(now - createdAt)} ago, expires in ${span(expiresAt - now)}`,
    ...Object.entries(args).flatMap(([name, value]) => [`${oneLine(name)}:`, ...quoted(value)]),
    ...media.map((digest) => {
      const name = mediaNames.get(digest);
      return `media: ${name === undefined ? "" : `${JSON.stringify(oneLine(name))}, `}SHA-256 ${digest}`;
    }),
    `Why you are asked: ${oneLine(reason)}`,
  ].join("\n");
}

/** A value in marked lines; of a list each entry has its number. */
function quoted(value: unknown): readonly string[] {
  return shownLines(value).map((line) => `│ ${line}`);
}

/** What a value says, line by line, with nothing hidden. */
export function shownLines(value: unknown): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((one, index) =>
      shownLines(one).map((line, at) => `${at === 0 ? `${index + 1}.` : "  "} ${line}`),
    );
  return visible(typeof value === "string" ? value : JSON.stringify(value)).split("\n");
}

function oneLine(text: string): string {
  return visible(text).replaceAll("\n", "<U+000A>");
}

/** A time in its largest fitting unit. */
export function span(ms: number): string {
  const [size, unit] = UNITS.find(([size]) => ms >= size) ?? [1_000, "s"];
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/** Characters that hide, or turn the order of others around, are spelt out: a person approves what they see. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    SHOWN_AS_IS.has(character)
      ? character
      : `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}

/** Line breaks and tabs, and what joins the parts of an emoji. */
const SHOWN_AS_IS: ReadonlySet<string> = new Set(["\n", "\t", "\u200d"]);
