import { english } from "../text/en/english.ts";
import { words } from "../text/words.ts";

/** A reason from the server, which may be several sentences, with those of built-in rules in the page's language. */
export function reasonText<Given extends string | undefined>(given: Given): Given | string {
  return Object.entries(english.policy.reasons).reduce<Given | string>(
    (text, [rule, sentence]) => text?.replace(sentence, words.policy.reasons[rule] ?? sentence) ?? text,
    given,
  );
}
