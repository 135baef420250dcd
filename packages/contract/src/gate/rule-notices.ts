import { DAY_MS } from "../clock.ts";
import { visible } from "../guards/shown-text.ts";
import type { Announcement } from "../notify/notify-approvers.ts";
import { type Decisions, type SimilarRules, suspension } from "./similar-rules.ts";

/** Returns messages about the rules that a rejection has suspended in the last days. Looks for new ones every few seconds. */
export function suspensionNotices(
  rules: Pick<SimilarRules, "all">,
  storage: Decisions,
  now: () => number,
): () => Promise<readonly Announcement[]> {
  let found: readonly Announcement[] = [];
  let nextAt = 0;
  return async () => {
    if (now() < nextAt) return found;
    found = await suspendedRules(rules, storage, now());
    nextAt = now() + LOOK_MS;
    return found;
  };
}

const LOOK_MS = 5_000;
const RECENT_MS = 7 * DAY_MS;

async function suspendedRules(
  rules: Pick<SimilarRules, "all">,
  storage: Decisions,
  now: number,
): Promise<readonly Announcement[]> {
  const found: Announcement[] = [];
  for (const rule of await rules.all()) {
    const { entry, learned } = rule;
    if (learned.expiresAt <= now) continue;
    const rejected = await suspension(rule, storage);
    if (rejected === undefined || now - (rejected.decidedAt ?? 0) > RECENT_MS) continue;
    found.push({
      // The same item can get another rule later.
      subject: `rule-${entry.item}-${learned.acceptedAt}-suspended`,
      kind: "learned_rule",
      title: `The rule for calls similar to item ${entry.item} is suspended`,
      text: `Item ${rejected.id} was rejected, so calls of ${visible(entry.tool)} like it wait for approval again. Remove the rule with: toolpact gate rules --off ${entry.item}`,
    });
  }
  return found;
}
