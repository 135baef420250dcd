import type { Failed, Failure } from "@toolpact/contract";
import { type Access, POST_LIMIT, parsePost } from "@toolpact/x-api";
import { errors } from "../../errors.ts";
import { refusedByX } from "./preflight.ts";

/** Weight of the longest post that X takes from accounts with X Premium. */
const PREMIUM_LIMIT = 25_000;

/** Weight of the longest post that X takes from the account. */
export function postLimit({ isPremium }: Access): number {
  return isPremium ? PREMIUM_LIMIT : POST_LIMIT;
}

export interface TextSetting {
  readonly access: Access;
  readonly isReply: boolean;
  readonly hasMedia: boolean;
}

/** What is wrong with the text of a post, found without asking X; undefined where nothing is. */
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

/** Tabs and line ends are none. */
const CONTROLS = /[^\P{Cc}\t\n\r]/u;

/** The names at the beginning of a reply are not counted. */
function withoutGreeting(text: string): string {
  return text.replace(/^(\s*@\w{1,15})+\s*/, "");
}
