import type { Failed, Failure } from "@toolpact/contract";
import {
  type Access,
  type Action,
  availabilityOf,
  type Evidence,
  type Need,
  removedOperations,
  selfServeCashtags,
} from "@toolpact/x-api";
import { errors } from "../../errors.ts";

/** What is known to be refused by X is answered without asking X. Undefined where X may be asked. */
export function refusedByX(
  action: Action,
  access: Access,
  evidence: Evidence = {},
): Failed<Failure<"x_forbidden">> | undefined {
  const availability = availabilityOf(action, access, evidence);
  if (availability.isAvailable !== false) return undefined;
  const { needs, since } = availability;
  const removed = removedOperations.find((operation) => operation.action === action);
  return errors.fail(
    "x_forbidden",
    `${sentence(action, needs, removed?.absentIn, since)} Nothing was sent.`,
    {
      reason: needs === "nothing_helps" ? "removed_by_x" : "unavailable_on_plan",
      suggestedFix: WHAT_HELPS[needs],
      fixBy: needs === "fewer_cashtags" || needs === "summons" ? "agent" : "operator",
      details: {
        action,
        needs,
        ...(since !== undefined && { since }),
        ...(removed && { absent_in_x_api: removed.absentIn }),
      },
    },
  );
}

function sentence(
  action: Action,
  needs: Need,
  absentIn: string | undefined,
  since: string | undefined,
): string {
  const what = WORDS[action];
  const from = since === undefined ? "" : ` since ${since}`;
  if (absentIn !== undefined)
    return `X has taken ${what} out of its API: version ${absentIn} of its specification is without it, and X announced no date.`;
  if (needs === "fewer_cashtags")
    return `X takes at most ${selfServeCashtags} cashtag in a post on this plan.`;
  return `X offers ${what} only on ${WHERE[needs]}${from}.`;
}

const WORDS: Readonly<Record<Action, string>> = {
  reply: "replying to people who did not call on you",
  quote: "quoting posts",
  like: "liking posts",
  follow: "following people",
  cashtag: "more cashtags",
  long_post: "long posts",
  edit: "editing posts",
  pin_post: "pinning a post",
  unpin_post: "unpinning a post",
  block: "blocking people",
  unblock: "unblocking people",
};

const WHERE: Readonly<Record<Need, string>> = {
  enterprise: "its enterprise plan",
  premium: "X Premium accounts",
  summons: "its enterprise plan",
  fewer_cashtags: "its enterprise plan",
  nothing_helps: "no plan",
};

const WHAT_HELPS: Readonly<Record<Need, string>> = {
  enterprise:
    'Only an enterprise plan with X changes this; then set `x_api.plan = "enterprise"`. Until then a person can do it at x.com.',
  premium: "X Premium for the account changes this; then set `x_api.premium = true`.",
  summons: "Reply where the author has mentioned or quoted this account.",
  fewer_cashtags: "Leave one cashtag ($NAME) in the text.",
  nothing_helps: "Nothing brings it back; a person can do it at x.com.",
};
