import type { JsonObject } from "../json.ts";

/** Writes a first policy: every tool needs approval, with the server's description of it as a comment. */
export function firstPolicy(server: string, tools: readonly JsonObject[]): string {
  return `# Policy for ${oneLine(server)}. Run it with: toolpact gate --policy THIS_FILE -- COMMAND

${SETTINGS}${RULE_WORDS}[tools]
${toolLines(tools)}
`;
}

function claims({ annotations, description }: JsonObject): string {
  // Annotations of a tool are an object.
  const { readOnlyHint, destructiveHint } = (annotations ?? {}) as JsonObject;
  const hints = [
    ...(readOnlyHint === true ? ["only reads"] : []),
    ...(destructiveHint === true && readOnlyHint !== true ? ["may destroy"] : []),
  ];
  const said = typeof description === "string" ? firstWords(oneLine(description).trim()) : "";
  const comment = [...hints, said].filter((part) => part !== "").join("; ");
  return comment === "" ? "" : ` # ${comment}`;
}

const MAX_CLAIM = 80;

/** Cuts after a whole word, and marks the cut. */
function firstWords(text: string): string {
  if (text.length <= MAX_CLAIM) return text;
  return `${text.slice(0, MAX_CLAIM).replace(/\s+\S*$/, "")} …`;
}

/** Removes characters that would end the comment. */
function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}

const SETTINGS = `# Rule for tools that are not named below: "person" or "deny".
default = "person"

# How long a call waits for approval before the client is told to retry.
wait_seconds = 45
# How long a call can be approved.
expires_hours = 24
# Also ask for approval in the client that makes the call.
ask_in_client = false

[budget]
# usd_per_day = 1.00
# usd_per_month = 10.00

`;

const RULE_WORDS = `# "read_only": changes nothing, so it can be called and repeated.
# "allow": can be called. A call whose answer was lost is not sent again.
# "person": each call needs approval.
# "deny": clients do not see it.
# With options: { rule = "allow", price = 0.01, limit = "10/hour", same_call_seconds = 60 }
# The comments are the server's own claims, which are not verified.
`;

function toolLines(tools: readonly JsonObject[]): string {
  return tools.map((tool) => `${JSON.stringify(String(tool.name))} = "person"${claims(tool)}`).join("\n");
}

/** A server to add to a policy. */
export interface PolicySection {
  readonly name: string;
  /** How the gate starts or reaches it. */
  readonly section: object;
  readonly tools: readonly JsonObject[];
}

/** Adds servers to the text of a policy, or writes a first one. */
export function withSections(policy: string | undefined, servers: readonly PolicySection[]): string {
  const sections = servers.map(
    ({ name, section, tools }) =>
      `\n[servers.${name}]\n${members(section)}\n[servers.${name}.tools]\n${toolLines(tools)}\n`,
  );
  const before =
    policy ?? `# Policy for the servers of this machine's MCP clients.\n\n${SETTINGS}${RULE_WORDS}`;
  return `${before}${sections.join("")}`;
}

function members(section: object): string {
  return Object.entries(section)
    .map(([key, value]) => `${key} = ${inline(value)}\n`)
    .join("");
}

/** TOML on one line. Texts have the escapes of JSON. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)} = ${inline(member)}`)
      .join(", ")} }`;
  return JSON.stringify(value);
}
