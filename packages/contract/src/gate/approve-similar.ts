import { failed, type Outcome, ok } from "@toolpact/outcome";
import { DAY_MS } from "../clock.ts";
import { type ApprovalItem, sameDigest } from "../guards/approval-item.ts";
import { SIMILAR_FOR, type SimilarFor } from "../guards/learning/allow-similar.ts";
import { formatTime, visible } from "../guards/shown-text.ts";
import type { GuardStorage, StoredRecord } from "../guards/storage.ts";
import { narrowCondition } from "./narrow-rule.ts";
import { hasSecrets } from "./shown-call.ts";
import { addSimilar } from "./similar-file.ts";
import { covers, SIMILAR_PER_DAY, type SimilarEntry, similarRules } from "./similar-rules.ts";

/** A rule that an approver can choose, and the calls of the log that it covers. */
export interface SimilarOffer {
  readonly entry: SimilarEntry;
  /** Contents that the rule leaves open. */
  readonly open: readonly string[];
  /** The last calls, newest first. */
  readonly passed: readonly StoredRecord[];
  readonly notPassed: readonly StoredRecord[];
}

const REHEARSED = 100;

/** Offers the narrowest rule that covers the call of a waiting item. Fails with a sentence if no rule should. */
export async function offerSimilar(
  { id, tool, args, principal, context }: ApprovalItem,
  { period, by, now }: { readonly period: SimilarFor; readonly by: string; readonly now: number },
  storage: Pick<GuardStorage, "records">,
): Promise<Outcome<SimilarOffer, string>> {
  if (context?.change !== undefined) return failed(`${tool} is new or has changed: approve it once first.`);
  if (hasSecrets(args)) return failed("An argument looks like a key or a token.");
  const narrow = narrowCondition([args]);
  if (!narrow.ok) return narrow;
  const entry: SimilarEntry = {
    item: id,
    tool,
    when: narrow.value.when,
    ...(principal !== undefined && { caller: principal }),
    per_day: SIMILAR_PER_DAY,
    since: new Date(now).toISOString(),
    until: new Date(now + SIMILAR_FOR[period] * DAY_MS).toISOString(),
    by,
  };
  const compiled = await similarRules([entry]);
  if (!compiled.ok) return compiled;
  const [rule] = compiled.value;
  const records = await storage.records(REHEARSED);
  const isPassed = ({ tool, input: args, principal, client, at }: StoredRecord) =>
    rule !== undefined && covers(rule, { tool, args, principal, client }, at);
  return ok({
    entry,
    open: narrow.value.open,
    passed: records.filter(isPassed),
    notPassed: records.filter((record) => !isPassed(record)),
  });
}

/** The offer as sentences for its approver. */
export function offerText({ entry, open, passed, notPassed }: SimilarOffer): readonly string[] {
  const all = passed.length + notPassed.length;
  const others = notPassed.filter(({ tool }) => tool === entry.tool);
  const refused = passed.filter(({ code }) => code === "rejected_by_person").length;
  const lines = [
    `Calls of ${entry.tool} are allowed until ${formatTime(Date.parse(entry.until))} UTC, at most ${entry.per_day} a day, if ${entry.when}`,
    "The rule ends early if you reject such a call.",
    ...(open.length === 0 ? [] : [`Any ${open.join(" and ")} is allowed.`]),
    `Of the last ${all} calls it would have passed ${passed.length}, and not ${others.length} others of ${entry.tool} and ${notPassed.length - others.length} of other tools.`,
    ...(refused === 0 ? [] : [`You rejected ${refused} of those that it would have passed.`]),
  ];
  return lines.map(visible);
}

/** Approves a waiting item as it was shown, and allows calls like it for some time. Fails with a sentence. */
export async function approveSimilar(
  { id, digest }: Pick<ApprovalItem, "id" | "digest">,
  choice: { readonly period: SimilarFor; readonly by: string; readonly now: number },
  { storage, policy }: { readonly storage: GuardStorage; readonly policy: string },
): Promise<Outcome<SimilarEntry, string>> {
  const item = await storage.item(id);
  if (item === undefined || !sameDigest(item.digest, digest))
    return failed("It is no longer waiting, or has changed.");
  const offer = await offerSimilar(item, choice, storage);
  if (!offer.ok) return offer;
  const { by, now } = choice;
  if (!(await storage.decide({ id, digest, approve: true, by, note: "", now })))
    return failed("It is no longer waiting, or has changed.");
  const added = await addSimilar(policy, offer.value.entry);
  return added.ok
    ? ok(offer.value.entry)
    : failed(`Item ${id} is approved, but the rule could not be stored: ${added.failure}`);
}
