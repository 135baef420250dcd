import type { Failed, Failure } from "@toolpact/contract";
import {
  type Access,
  type Action,
  availabilityOf,
  type Evidence,
  type Need,
  POST_LIMIT,
  parsePost,
  removedOperations,
  selfServeCashtags,
} from "@toolpact/x-api";
import { errors } from "../../errors.ts";

/** X's known refusals, without a request. */
export function refusedByX(
  action: Action,
  access: Access,
  evidence: Evidence = {},
): Failed<Failure<"x_forbidden">> | undefined {
  const availability = availabilityOf(action, access, evidence);
  if (availability.isAvailable !== false) return undefined;
  const { needs, since } = availability;
  // Removed operations have no endpoint.
  if (access.asksAnyway && needs !== "nothing_helps") return undefined;
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

/** With X Premium. */
const PREMIUM_LIMIT = 25_000;

/** For the account. */
export function postLimit({ isPremium }: Access): number {
  return isPremium ? PREMIUM_LIMIT : POST_LIMIT;
}

export interface TextSetting {
  readonly access: Access;
  readonly isReply: boolean;
  readonly hasMedia: boolean;
}

/** Undefined if X would accept it. */
export function refusedText(
  text: string,
  { access, isReply, hasMedia }: TextSetting,
): Failed<Failure<"tweet_too_long" | "invalid_input" | "x_forbidden">> | undefined {
  const limit = postLimit(access);
  const parsed = parsePost(isReply ? withoutGreeting(text) : text, limit);
  if (parsed.problems.includes("too_long")) {
    return errors.fail(
      "tweet_too_long",
      `The text weighs ${parsed.weighted_length}; a post may weigh ${limit}. A link weighs 23, an emoji or a CJK character 2.`,
      {
        suggestedFix: "Shorten it, or split it into a thread.",
        fixBy: "agent",
        details: { weighted_length: parsed.weighted_length, limit },
      },
    );
  }
  if (text.trim() === "" && !hasMedia)
    return errors.fail("invalid_input", "A post needs text, or media.", { fixBy: "agent" });
  if (parsed.problems.includes("invalid_characters") || CONTROLS.test(text)) {
    return errors.fail(
      "invalid_input",
      "The text has characters that no post can have (controls such as U+0000, or U+FFFE, U+FEFF, U+FFFF).",
      { suggestedFix: "Leave them out.", fixBy: "agent" },
    );
  }
  return refusedByX("cashtag", access, { cashtags: parsed.cashtags.length });
}

/** With the post's index, if there are several. */
export function firstRefusal<Code extends string>(
  count: number,
  refusalOf: (index: number) => Failed<Failure<Code>> | undefined,
): Failed<Failure<Code>> | undefined {
  for (let index = 0; index < count; index++) {
    const refusal = refusalOf(index);
    if (refusal === undefined) continue;
    if (count === 1) return refusal;
    const { failure } = refusal;
    return {
      ok: false,
      failure: {
        ...failure,
        message: `Post ${index + 1} of ${count}: ${failure.message} No post was sent.`,
        details: { ...failure.details, tweet_index: index },
      },
    };
  }
  return undefined;
}

/** Except tabs and line ends. */
const CONTROLS = /[^\P{Cc}\t\n\r]/u;

/** Leading names of a reply do not count. */
function withoutGreeting(text: string): string {
  return text.replace(/^(\s*@\w{1,15})+\s*/, "");
}
