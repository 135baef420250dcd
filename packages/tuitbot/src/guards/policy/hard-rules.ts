import type { PolicyRule } from "./policy-rule.ts";

/** Rules that no configuration switches off. They come before every other. */
export const hardRules: readonly PolicyRule[] = [
  {
    id: "hard:delete_approval",
    conditions: { categories: ["delete"] },
    action: { type: "require_approval", reason: "What is deleted cannot be brought back." },
  },
  {
    id: "hard:x_one_reply",
    conditions: { test: ({ isSecondReply }) => isSecondReply },
    action: { type: "deny", reason: "X allows an automated account one reply to a post." },
  },
  {
    id: "hard:ads_approval",
    conditions: { categories: ["ads"] },
    action: { type: "require_approval", reason: "Advertising spends money." },
  },
  {
    id: "hard:unlisted_approval",
    conditions: { test: ({ isUnlisted }) => isUnlisted === true },
    action: {
      type: "require_approval",
      reason: "X does not list this request: it is not known what it does.",
    },
  },
  {
    id: "hard:composer_approval",
    conditions: { modes: ["composer"] },
    action: { type: "require_approval", reason: "In composer mode a person approves everything." },
  },
];

/** What the operator has declared about the account. */
export interface Declared {
  /** Send nothing before a person has approved it. */
  readonly approvalMode: boolean;
  /** X has agreed to replies that a model writes. */
  readonly aiRepliesAgreed: boolean;
}

/**
 * What every other rule may allow and still needs a person: signs of injection, X's rules for automation, and approval mode. They only
 * ever make a decision stricter.
 */
export function floors({ approvalMode, aiRepliesAgreed }: Declared): readonly PolicyRule[] {
  return [
    floor(
      "hard:injection",
      ({ isSuspect, isByPerson }) => !isByPerson && isSuspect === true,
      "A person decides about replies that may do what a stranger's post asks for.",
    ),
    floor(
      "hard:x_user_initiated",
      ({ engagement, isByPerson }) => !isByPerson && (engagement === "like" || engagement === "follow"),
      "X allows likes and follows only when a person asks for them.",
    ),
    floor(
      "hard:x_ai_reply",
      ({ isReply, isByPerson }) => !isByPerson && isReply && !aiRepliesAgreed,
      "X allows replies that a model writes only with its agreement.",
    ),
    floor(
      "hard:x_unsolicited_mention",
      ({ mentions, isByPerson }) => !isByPerson && mentions,
      "X does not allow automated posts that call people who did not ask for it.",
    ),
    floor(
      "hard:x_direct_message",
      ({ categories, isByPerson }) => !isByPerson && categories.includes("direct_message"),
      "X does not allow automated messages to people who did not ask for them.",
    ),
    floor(
      "approval_mode",
      // An upload publishes nothing; the post that uses it does.
      ({ categories }) => approvalMode && !categories.includes("media"),
      "In approval mode a person approves everything that is sent.",
    ),
  ];
}

function floor(id: string, test: NonNullable<PolicyRule["conditions"]["test"]>, reason: string): PolicyRule {
  return {
    id,
    conditions: { test },
    action: { type: "require_approval", reason },
  };
}
