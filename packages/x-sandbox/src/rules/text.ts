import { POST_LIMIT, type PostText, parsePost } from "@toolpact/x-api/text";
import type { Answer } from "../answer.ts";
import { badValue, textTooLong, tooManyCashtags } from "../problems.ts";
import { withoutLeadingMentions } from "../world/entities.ts";
import { isPremium, type Person } from "../world/person.ts";
import type { Plan } from "./plans.ts";

/** The longest post of a Premium account; everyone else has 280. */
const longPostLimit = 25_000;

/** Checks a post's text. Names that a reply answers and that stand in front do not count. */
export function refusedText(
  text: string,
  author: Person,
  plan: Plan,
  addressed: readonly string[],
): Answer | undefined {
  const counted = parsePost(withoutLeadingMentions(text, addressed));
  const limit = isPremium(author) ? longPostLimit : POST_LIMIT;
  if (counted.weighted_length > limit) return textTooLong(text);
  if (counted.problems.includes("invalid_characters"))
    return badValue("text", text, "Your Tweet text has invalid characters.");
  if (plan === "self_serve" && cashtagsOf(counted) > 1) return tooManyCashtags();
  return undefined;
}

export function hasLink(text: string): boolean {
  return parsePost(text).urls.length > 0;
}

function cashtagsOf(parsed: PostText): number {
  return new Set(parsed.cashtags.map(({ symbol }) => symbol.toUpperCase())).size;
}
