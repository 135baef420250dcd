import { type CommandOutcome, paint } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/internal/cli";
import { escapeInvisible, formatLines } from "@toolpact/contract/internal/text";
import { failed, ok } from "@toolpact/outcome";
import {
  type Acceptance,
  acceptProposal,
  type RulesReport,
  rulesReport,
  turnOffRule,
} from "../../app/learned-rules.ts";
import type { RuleExample } from "../../app/rule-examples.ts";
import { addedRule } from "../../app/rule-words.ts";
import type { Services } from "../../app/services.ts";
import type { Context } from "../context.ts";
import { dollars } from "../daily/daily-session.ts";
import { decider } from "../decider.ts";
import { withServices } from "../with-services.ts";

type Rule = RulesReport["rules"][number];
type Proposal = RulesReport["proposals"][number];

const NEEDS = ["db", "workflow", "approvals"] as const;

function withRules(
  context: Context,
  work: (services: Pick<Services, (typeof NEEDS)[number]>) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  return withServices(NEEDS, { profile: "admin" }, context, work);
}

export function listRules(context: Context): Promise<CommandOutcome> {
  return withRules(context, async (services) => {
    const report = await rulesReport(services);
    const { rules, proposals } = report;
    const lines = [
      ...rules.map((rule) => ruleText(rule, context)),
      ...proposals.map(
        (proposal) =>
          `${paint(context.terminal, "bold", proposal.id)}  proposed for ${proposal.agent}\n  ${escapeInvisible(proposal.says)}`,
      ),
    ];
    const help =
      proposals.length === 0
        ? []
        : ["Look at one with tuitbot rules show ID, accept it with tuitbot rules accept ID."];
    return ok({
      text: [...(lines.length === 0 ? ["No rules, and nothing to propose yet."] : lines), ...help].join(
        "\n\n",
      ),
      json: report,
    });
  });
}

export function showRule(named: string, context: Context): Promise<CommandOutcome> {
  return withRules(context, async (services) => {
    const { rules, proposals } = await rulesReport(services);
    const rule = rules.find(({ id }) => String(id) === named);
    const proposal = proposals.find(({ id }) => id === named);
    if (rule !== undefined)
      return ok({ text: withEvidence(ruleText(rule, context), rule.evidence), json: rule });
    if (proposal !== undefined) return ok({ text: proposalText(proposal), json: proposal });
    return noSuch(named);
  });
}

export function acceptRule(chosen: Acceptance, isAgreed: boolean, context: Context): Promise<CommandOutcome> {
  return withRules(context, async (services) => {
    const { proposals } = await rulesReport(services);
    const proposal = proposals.find(({ id }) => id === chosen.id);
    if (proposal === undefined) return noSuch(chosen.id);
    const { terminal, signal, isJson } = context;
    if (!isJson) terminal.out(`${proposalText(proposal)}\n\n`);
    const answer = isAgreed ? "y" : await terminal.ask("Accept this rule? [y/N] ", signal);
    if (!/^y(es)?$/i.test(answer?.trim() ?? ""))
      return ok({ text: "No rule was added.", json: { accepted: false } });
    const accepted = await acceptProposal(services, chosen, { by: decider() });
    if (!accepted.ok) return failed(commandFailure(accepted.failure));
    return ok({ text: addedRule(accepted.value), json: { accepted: true, rule: accepted.value.id } });
  });
}

export function turnOff(id: number, context: Context): Promise<CommandOutcome> {
  return withRules(context, async (services) => {
    const ended = await turnOffRule(services, id, decider());
    return ended.ok
      ? ok({
          text: `Rule ${id} is off. You are asked about such calls again.`,
          json: { rule: id, off: true },
        })
      : failed(commandFailure(ended.failure));
  });
}

function ruleText(rule: Rule, { terminal }: Pick<Context, "terminal">): string {
  const day = (iso: string) => iso.slice(0, 10);
  const facts = [
    stateText(rule),
    `for ${rule.agent}`,
    ...(rule.per_day === null ? [] : [`${rule.used_today} of ${rule.per_day} today`]),
    ...(rule.budget_usd === null ? [] : [`${dollars(rule.spent_usd)} of ${dollars(rule.budget_usd)}`]),
    `accepted ${day(rule.accepted_at)} by ${escapeInvisible(rule.accepted_by)}`,
    ...(rule.ended_at === null ? [`expires ${day(rule.expires_at)}`] : []),
  ];
  const why = rule.suspended_because;
  return [
    `${paint(terminal, "bold", `Rule ${rule.id}`)}  ${facts.join(" · ")}`,
    `  ${escapeInvisible(rule.says)}`,
    ...(why === null ? [] : [paint(terminal, "yellow", `  ${escapeInvisible(why)}`)]),
    ...(rule.is_review_due ? [paint(terminal, "yellow", "  It is due for review.")] : []),
  ].join("\n");
}

function stateText({ state, starts_at, would_have_decided }: Rule): string {
  return state === "rehearsed"
    ? `rehearsed until ${starts_at.slice(0, 10)}, ${would_have_decided} so far`
    : state;
}

function proposalText({
  id,
  agent,
  says,
  evidence,
  rehearsal,
  max_usd,
  max_amount,
  length,
}: Proposal): string {
  const { counterexamples, decided } = rehearsal;
  return [
    `${id}  proposed for ${agent}`,
    `  ${escapeInvisible(says)}`,
    `  Texts of ${length.from} to ${length.to} characters, up to ${dollars(max_usd)} a call, amounts of money up to ${max_amount}. No links, files or mentions of others.`,
    withEvidence("Decisions that it is based on:", evidence),
    withEvidence(`It would have decided ${decided.length} calls in ${rehearsal.days} days:`, decided),
    withEvidence(`Decided otherwise: ${counterexamples.length}`, counterexamples),
  ].join("\n");
}

/** Every line of a text is marked: none can pass for a line of tuitbot. */
function withEvidence(title: string, examples: readonly RuleExample[]): string {
  return [
    title,
    ...examples.flatMap(({ id, at, text, decided_by }) => [
      `  item ${id}, ${at.slice(0, 10)}${decided_by === null ? "" : `, ${escapeInvisible(decided_by)}`}`,
      ...formatLines(text).map((line) => `    │ ${line}`),
    ]),
  ].join("\n");
}

function noSuch(named: string): CommandOutcome {
  return failed({
    message: `There is no rule and no proposal ${JSON.stringify(named)}.`,
    fix: "See tuitbot rules list.",
  });
}
