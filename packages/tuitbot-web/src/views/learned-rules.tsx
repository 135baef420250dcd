import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import { runSigned } from "../api/passkeys.ts";
import type { Problem } from "../api/problem.ts";
import { changed, useQuery } from "../api/query.ts";
import type { LearnedRule, RuleProposal } from "../api/shapes.ts";
import { dateTime } from "../format/dates.ts";
import { Loaded } from "../parts/loaded.tsx";
import { Plain } from "../parts/post-text.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { may, RoleNote } from "../parts/role-note.tsx";
import { addressOf } from "../parts/route.ts";
import { toast } from "../parts/toasts.tsx";
import { words } from "../text/words.ts";

/** Rules that the stored decisions propose, and those that were accepted. */
export function LearnedRules({ here }: { readonly here: SignedIn }): JSX.Element {
  const query = useQuery("rules", () => runCommand("rules"), ["approvals", "activity"]);
  const texts = words.policy.learned;
  return (
    <section class="panel" aria-label={texts.title}>
      <header>
        <div>
          <h2>{texts.title}</h2>
          <p class="soft small">{texts.what}</p>
        </div>
      </header>
      <RoleNote here={here} needs="owner" what="rule" />
      <Loaded query={query} height={120}>
        {({ rules, proposals }) =>
          proposals.length + rules.length === 0 ? (
            <p class="soft">{texts.none}</p>
          ) : (
            <ul class="learned">
              {proposals.map((proposal) => (
                <Proposal key={proposal.id} proposal={proposal} here={here} />
              ))}
              {rules.map((rule) => (
                <Rule key={rule.id} rule={rule} here={here} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function Proposal({
  proposal,
  here,
}: {
  readonly proposal: RuleProposal;
  readonly here: SignedIn;
}): JSX.Element {
  const texts = words.policy.learned;
  const { id, does, agent, evidence, rehearsal, per_day, length, max_usd } = proposal;
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  async function accept(rehearsal_days: number): Promise<void> {
    setBusy(true);
    const answer = await runSigned("rule_accept", { id, rehearsal_days }, { purpose: "rule", id });
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    changed();
    if (answer.ok) toast(texts.accepted(answer.value.id));
  }
  const isOff = isBusy || !may(here, "owner");
  return (
    <li>
      <span class="chip warn">{texts.proposed}</span>
      <div>
        <p>
          <Plain text={proposalText(proposal)} />
        </p>
        <p class="soft small">
          <Plain text={`${agent}. ${texts.bounds(length.from, length.to, max_usd)}`} />
        </p>
        <Examples title={texts.evidence(evidence.length)} examples={evidence} />
        <Examples title={texts.rehearsed(rehearsal.decided.length)} examples={rehearsal.decided} />
        {rehearsal.counterexamples.length > 0 && (
          <Examples
            title={texts.against(rehearsal.counterexamples.length)}
            examples={rehearsal.counterexamples}
          />
        )}
        {problem !== undefined && <ProblemBox problem={problem} />}
        <div class="row">
          <button type="button" class="primary small" disabled={isOff} onClick={() => void accept(0)}>
            {texts.accept}
          </button>
          {per_day !== null && does === "allow" && (
            <button type="button" class="small" disabled={isOff} onClick={() => void accept(REHEARSAL_DAYS)}>
              {texts.rehearse}
            </button>
          )}
        </div>
      </div>
    </li>
  );
}

const REHEARSAL_DAYS = 3;

function Rule({ rule, here }: { readonly rule: LearnedRule; readonly here: SignedIn }): JSX.Element {
  const texts = words.policy.learned;
  const { id, state, agent, evidence, suspended_because: why, accepted_at, accepted_by } = rule;
  const isInForce = state === "active" || state === "rehearsed";
  async function off(): Promise<void> {
    const ended = await runCommand("rule_off", { id });
    toast(ended.ok ? texts.isOff(id) : ended.failure.message);
    changed();
  }
  const facts = [
    agent,
    ...(rule.per_day === null || rule.budget_usd === null || !isInForce
      ? []
      : [texts.use(rule.used_today, rule.per_day, rule.spent_usd, rule.budget_usd)]),
    texts.origin(dateTime(accepted_at), accepted_by),
    ...(isInForce ? [texts.expires(dateTime(rule.expires_at))] : []),
  ];
  return (
    <li>
      <span class={`chip ${TONES[state] ?? ""}`}>{texts.states[state] ?? state}</span>
      <div>
        <p>
          <b>{words.activity.learnedRule(id)}</b>{" "}
          {rule.does === "allow" ? texts.allow(callsOf(rule), rule.per_day ?? 0) : texts.deny(callsOf(rule))}
        </p>
        <p class="soft small">
          <Plain text={facts.join(" · ")} />
        </p>
        {why !== null && (
          <p class="verdict warn">
            <Plain text={why} />
          </p>
        )}
        {rule.is_review_due && <p class="verdict warn">{texts.review}</p>}
        {state === "rehearsed" && (
          <p class="small">{texts.soFar(rule.would_have_decided ?? 0, dateTime(rule.starts_at))}</p>
        )}
        <Examples title={texts.evidence(evidence.length)} examples={evidence} />
        <div class="row">
          <a class="button small" href={addressOf("activity", undefined, { rule: `learned:${id}` })}>
            {texts.activity}
          </a>
          {isInForce && (
            <button type="button" class="small" disabled={!may(here, "approver")} onClick={() => void off()}>
              {texts.off}
            </button>
          )}
        </div>
      </div>
    </li>
  );
}

const TONES: Readonly<Record<string, string>> = { active: "ok", rehearsed: "warn", suspended: "bad" };

function callsOf({ tool, manner, target }: Pick<LearnedRule, "tool" | "manner" | "target">): string {
  const texts = words.policy.learned;
  const parts = [texts.manners[manner] ?? manner, texts.calls[tool] ?? tool, texts.targets[target] ?? ""];
  return parts
    .filter((part) => part !== "")
    .join(" ")
    .replace("- ", "-");
}

/** The proposal with its evidence, in one sentence after the other. */
function proposalText(proposal: RuleProposal): string {
  const texts = words.policy.learned;
  const { does, evidence, rehearsal, per_day } = proposal;
  const { days, decided, usd, counterexamples } = rehearsal;
  const calls = callsOf(proposal);
  const said =
    does === "allow"
      ? [
          texts.allowed(evidence.length, calls),
          texts.allowThese(per_day ?? 0),
          texts.wouldAllow(days, decided.length, usd),
        ]
      : [texts.denied(evidence.length, calls), texts.denyThese, texts.wouldDeny(days, decided.length)];
  return [...said, texts.otherwise(counterexamples.length)].join(" ");
}

/** Decided items, closed by default. Their texts are the agent's. */
export function Examples({
  title,
  examples,
}: {
  readonly title: string;
  readonly examples: RuleProposal["evidence"] | LearnedRule["evidence"];
}): JSX.Element {
  return (
    <details class="small">
      <summary>{title}</summary>
      <ul class="examples">
        {examples.map(({ id, at, text, decided_by }) => (
          <li key={id}>
            <span class="soft">
              <Plain
                text={[
                  words.policy.learned.item(id),
                  dateTime(at),
                  ...(decided_by === null ? [] : [decided_by]),
                ].join(" · ")}
              />
            </span>
            <blockquote class="quoted">
              <Plain text={text} />
            </blockquote>
          </li>
        ))}
      </ul>
    </details>
  );
}
