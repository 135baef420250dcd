import type { JsonObject } from "../json.ts";

/** A policy to begin with: every tool needs a person, and what the server claims of it is a comment. */
export function firstPolicy(server: string, tools: readonly JsonObject[]): string {
  const lines = tools.map((tool) => {
    const key = JSON.stringify(String(tool.name));
    return `${key} = "person"${claims(tool)}`;
  });
  return `# Which calls of ${oneLine(server)} need a person. "toolpact gate --policy THIS_FILE -- COMMAND" puts it before the server.

# What is not named below: "person" or "deny".
default = "person"

# For so long a call waits for a person before its caller is told to come back.
wait_seconds = 45
# After so long, nobody can approve it any more.
expires_hours = 24
# Whether the question may also reach the person through the client that calls.
ask_in_client = false

[budget]
# usd_per_day = 1.00
# usd_per_month = 10.00

# "read_only": it changes nothing, so that it may be called and repeated.
# "allow": it may be called, and is never sent twice by itself.
# "person": a person decides about each call.
# "deny": clients do not see it.
# With more: { rule = "allow", price = 0.01, limit = "10/hour", same_call_seconds = 60 }
# The comments are what the server claims of itself, which nobody has checked.
[tools]
${lines.join("\n")}
`;
}

function claims({ annotations, description }: JsonObject): string {
  // The hints of a tool are an object where they are there.
  const { readOnlyHint, destructiveHint } = (annotations ?? {}) as JsonObject;
  const hints = [
    ...(readOnlyHint === true ? ["only reads"] : []),
    ...(destructiveHint === true && readOnlyHint !== true ? ["may destroy"] : []),
  ];
  const said = typeof description === "string" ? firstWords(oneLine(description).trim()) : "";
  const comment = [...hints, said].filter((part) => part !== "").join("; ");
  return comment === "" ? "" : ` # ${comment}`;
}

const MOST_SAID = 80;

/** Whole words, and a mark where there would be more. */
function firstWords(text: string): string {
  if (text.length <= MOST_SAID) return text;
  return `${text.slice(0, MOST_SAID).replace(/\s+\S*$/, "")} …`;
}

/** Nothing that would end the comment. */
function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}
