import type { JsonObject } from "../json.ts";
import type { Flaw } from "./lint.ts";

/** Anthropic and Copilot refuse other characters. Clients put the name of the server before it, so it stays shorter. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MOST_DESCRIPTION = 2048;
const LEAST_DESCRIPTION = 10;
/** A model that chooses a tool looks for what it does: words that come before a noun put that off. */
const NOT_A_VERB = /^(?:a|an|the|this|that|these|it|its|all|one|tool|allows|used|returns?)\b/i;

/** What is wrong with the name, the description and the hints of a tool. */
export function definitionFlaws({ name, description, title, annotations }: JsonObject): Flaw[] {
  const flaws: Flaw[] = [];
  const error = (rule: string, message: string) => flaws.push({ level: "error", rule, message });
  const warning = (rule: string, message: string) => flaws.push({ level: "warning", rule, message });

  if (typeof name !== "string" || !NAME.test(name))
    error("name", "Clients take names of 1 to 64 letters, digits, `_` and `-`.");
  const text = typeof description === "string" ? description.trim() : "";
  if (text === "") error("description", "It has no description: a model cannot know when to use it.");
  else if (text.length < LEAST_DESCRIPTION)
    warning("description", "Say what it does, what it answers, and when to use it.");
  else if (NOT_A_VERB.test(text))
    warning("description-verb", `Begin with the verb of what it does, not with “${text.split(" ", 1)[0]}”.`);
  if (text.length > MOST_DESCRIPTION)
    warning(
      "description-length",
      `The description has ${text.length} characters; clients may cut it at ${MOST_DESCRIPTION}.`,
    );
  if (typeof title !== "string" || title.trim() === "")
    warning("title", "It has no title, which clients show to people.");

  // Where a tool has annotations, they are an object.
  const hints = (annotations ?? {}) as JsonObject;
  if (Object.keys(hints).length === 0)
    warning(
      "hints",
      "It has no hints: clients then take it for one that destroys, and ask the person every time.",
    );
  if (hints.readOnlyHint === true && hints.destructiveHint === true)
    error("hints", "It says that it only reads, and that it destroys.");
  return flaws;
}
