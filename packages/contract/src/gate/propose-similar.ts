import { failed, type Outcome, ok } from "@toolpact/outcome";
import { DAY_MS } from "../clock.ts";
import type { ApprovalItem } from "../guards/approval-item.ts";
import { ruleDates } from "../guards/learning/learned-rule.ts";
import { type PastDecision, type ProposedRule, proposeRules } from "../guards/learning/propose-rules.ts";
import { rehearseRule } from "../guards/learning/rehearse-rule.ts";
import { proposalSentence } from "../guards/learning/rule-sentence.ts";
import { visible } from "../guards/shown-text.ts";
import { learnedFacts } from "./learned-facts.ts";
import { narrowCondition } from "./narrow-rule.ts";
import { addSimilar } from "./similar-file.ts";
import {
  covers,
  type Decisions,
  factsFor,
  type SimilarEntry,
  type SimilarRule,
  similarRules,
} from "./similar-rules.ts";

/** A rule that the stored decisions propose. Its number is that of the last one of them. */
export interface SimilarProposal {
  readonly entry: Omit<SimilarEntry, "by">;
  readonly evidence: readonly ApprovalItem[];
  /** For its reader, with the evidence. */
  readonly lines: readonly string[];
}

const HISTORY_DAYS = 60;

/** Proposes the narrowest rules for groups of calls that a person always approved, or always rejected. */
export async function proposeSimilar(
  storage: Decisions,
  present: readonly SimilarRule[],
  now: number,
): Promise<readonly SimilarProposal[]> {
  const items = await storage.decidedSince(now - HISTORY_DAYS * DAY_MS);
  const byId = new Map(items.map((item) => [item.id, item]));
  const history = items.map(
    (item): PastDecision => ({
      id: item.id,
      at: item.decidedAt ?? item.createdAt,
      facts: learnedFacts(item),
      verdict: verdictOf(item),
    }),
  );
  const proposals: SimilarProposal[] = [];
  for (const proposed of proposeRules(history, now)) {
    const evidence = proposed.evidence.flatMap((id) => byId.get(id) ?? []);
    const proposal = await proposalOf(proposed, evidence, history, byId, now);
    const isNew = !present.some(
      (rule) =>
        rule.learned.expiresAt > now &&
        rule.learned.does === proposed.does &&
        evidence.every((item) => covers(rule, item, item.createdAt)),
    );
    if (proposal !== undefined && isNew) proposals.push(proposal);
  }
  return proposals;
}

/**
 * Only what a person decided at the gate's own surfaces and channels is evidence, since a client could answer its own questions. Any
 * other rejection counts against both kinds of rules.
 */
function verdictOf({ status, decidedBy = "" }: ApprovalItem): PastDecision["verdict"] {
  const isByPerson = /^person via (?:terminal|web|telegram|slack)\b/.test(decidedBy);
  if (status === "rejected") return isByPerson ? "rejected" : "edited";
  return status === "approved" && isByPerson ? "approved" : "undecided";
}

async function proposalOf(
  { does, perDay }: ProposedRule,
  evidence: readonly ApprovalItem[],
  history: readonly PastDecision[],
  byId: ReadonlyMap<number, ApprovalItem>,
  now: number,
): Promise<SimilarProposal | undefined> {
  const last = evidence.at(-1);
  if (last === undefined) return undefined;
  const narrow = narrowCondition(
    evidence.map(({ args }) => args),
    does === "deny" ? "least" : "zero",
  );
  if (!narrow.ok) return undefined;
  const { acceptedAt, expiresAt } = ruleDates(now);
  const entry = {
    item: last.id,
    does,
    tool: last.tool,
    when: narrow.value.when,
    ...(last.principal !== undefined && { caller: last.principal }),
    per_day: perDay,
    since: new Date(acceptedAt).toISOString(),
    until: new Date(expiresAt).toISOString(),
    evidence: evidence.map(({ id }) => id),
  };
  const compiled = await similarRules([{ ...entry, by: "" }]);
  const [rule] = compiled.ok ? compiled.value : [];
  if (rule === undefined) return undefined;
  // A folder covers those below it, which are separate groups.
  const own = history.flatMap((past) => {
    const item = byId.get(past.id);
    return item === undefined ? [] : [{ ...past, facts: factsFor(rule, item, past.at) }];
  });
  const rehearsal = rehearseRule(rule.learned, own, now);
  if (rehearsal.counterexamples.length > 0) return undefined;
  const by = last.principal === undefined ? "" : ` by ${last.principal}`;
  const sentence = proposalSentence(
    {
      does,
      conditions: rule.learned.conditions,
      perDay,
      budgetMicros: 0,
      evidence: entry.evidence,
      rehearsal,
    },
    { one: "call", many: "calls", target: `of ${last.tool}${by}` },
  );
  return {
    entry,
    evidence,
    lines: [sentence, `It covers calls of ${last.tool} if ${entry.when}`].map(visible),
  };
}

/** Stores a proposal as it was shown. Fails with a sentence if it is not proposed any more. */
export async function acceptProposal(
  { entry: { item, when } }: { readonly entry: Pick<SimilarEntry, "item" | "when"> },
  { by, now }: { readonly by: string; readonly now: number },
  {
    storage,
    similar,
    path,
  }: { readonly storage: Decisions; readonly similar: readonly SimilarRule[]; readonly path: string },
): Promise<Outcome<SimilarEntry, string>> {
  const found = (await proposeSimilar(storage, similar, now)).find(({ entry }) => entry.item === item);
  if (found?.entry.when !== when) return failed("It is no longer proposed: decisions have changed.");
  const entry = { ...found.entry, by };
  const added = await addSimilar(path, entry);
  return added.ok ? ok(entry) : added;
}
