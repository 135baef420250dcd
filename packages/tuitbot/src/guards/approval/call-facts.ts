import {
  argumentKinds,
  type CallFacts,
  type Fence,
  largestAmount,
  textsIn,
} from "@toolpact/contract/internal/guards";
import { parsePost } from "@toolpact/x-api";
import { type Agent, agentName } from "../../agents/agent.ts";
import { ENGLISH_SIGNS } from "../../injection/english-signs.ts";
import { looksLikeInstructions } from "../../injection/instructions.ts";
import type { PlannedMutation } from "../call/call-context.ts";
import type { Mutation, MutationCall } from "../call/mutation.ts";
import { isRaw, isUpload, mediaIdsOf } from "../call/tool-facts.ts";
import type { PolicyAction } from "../policy/decide.ts";
import { withoutOptions } from "../receipts/receipt.ts";
import { subjectOf } from "./approval-context.ts";

/** The policy requires approval. */
export interface AskedCall {
  readonly call: MutationCall;
  readonly planned: PlannedMutation<Mutation>;
  readonly action: PolicyAction;
  /** By the answered post's author. */
  readonly isSummoned: boolean;
  /** Itself, or the post it answers. */
  readonly isSuspect: boolean;
  /** No setting turns the rule off. */
  readonly isHard: boolean;
  readonly peopleNeeded: number;
}

/** Anybody else is behind the fence `stranger`. */
type Target = "account" | "own_post" | "mention";

/** For learned rules. */
export function callFacts(asked: AskedCall): CallFacts {
  const { call, planned } = asked;
  const { tool, effect, input, context } = call;
  const args = withoutOptions(input);
  const texts = textsIn(args);
  const target = targetOf(asked);
  return {
    scope: context.account.account,
    caller: callerOf(context.agent, call.caller.principal),
    tool: tool.name,
    effect,
    argumentKinds: argumentKinds(args),
    target: target ?? "stranger",
    manner: mannerOf(texts),
    micros: planned.record.estimated,
    length: texts.reduce((sum, text) => sum + text.length, 0),
    amount: Math.max(0, ...texts.map(largestAmount)),
    fences: fencesOf(asked, texts, target),
  };
}

/** With a new token, an agent counts as another one. */
function callerOf(agent: Agent | undefined, principal: string | undefined): string {
  return agent === undefined || agentName(principal) !== agent.name ? "" : `${principal} ${agent.createdAt}`;
}

/** Undefined for a stranger. */
function targetOf({ call, action, isSummoned }: AskedCall): Target | undefined {
  const { role, postId, people } = subjectOf(call, call.context.account.account);
  if (people.length > 0 || action.mentions) return undefined;
  if (action.isReply) return isSummoned ? "mention" : undefined;
  if (postId === undefined) return "account";
  return role === "answers" ? "own_post" : undefined;
}

function fencesOf(
  { call, action, isSuspect, isHard, peopleNeeded }: AskedCall,
  texts: readonly string[],
  target: Target | undefined,
): readonly Fence[] {
  const { facts } = call.tool;
  const isFile = isUpload(facts) || mediaIdsOf(call.plan() ?? {}).length > 0;
  const reached: Readonly<Record<Fence, boolean>> = {
    hard_rule: isHard || isRaw(facts) || action.isUnlisted === true,
    injection: isSuspect || texts.some(hasSigns),
    link: texts.some((text) => parsePost(text).urls.length > 0),
    file: isFile,
    stranger: target === undefined,
    several_people: peopleNeeded > 1,
  };
  // Written with every fence as a key.
  return (Object.keys(reached) as Fence[]).filter((fence) => reached[fence]);
}

function hasSigns(text: string): boolean {
  const normal = text.normalize("NFKC");
  return looksLikeInstructions(text) || ENGLISH_SIGNS.some(({ sign }) => sign.test(normal));
}

/** Words identify only short thanks with certainty. */
function mannerOf(texts: readonly string[]): string {
  const [text = "", ...others] = texts;
  const isThanks =
    others.length === 0 && text.length <= MAX_THANKS && THANKS.test(text) && !text.includes("?");
  return isThanks ? "thank-you" : "";
}

const MAX_THANKS = 140;
const THANKS =
  /^\W*(?:thanks?|thank you|many thanks|thx|cheers|danke|vielen dank|merci|gracias|obrigad[oa])\b/iu;
