import { DAY_MS } from "../clock.ts";
import { formatUsd, microsOf } from "../guards/money.ts";
import { formatTime } from "../guards/shown-text.ts";
import type { StoredRecord } from "../guards/storage.ts";
import { narrowCondition } from "./narrow-rule.ts";
import type { Policy, ServerPolicy } from "./policy.ts";

/** The calls of a tool in the log of a gate that watches. */
export interface WatchedTool {
  /** By the name that clients see. */
  readonly tool: string;
  readonly calls: number;
  /** Calls that the present rules would have asked about. */
  readonly asked: number;
  readonly usd: number;
  /** The narrowest rule that covers the calls, in TOML. */
  readonly rule: string;
}

/** The calls that were made by the rules, and the narrowest policy that covers them. */
export interface PolicyProposal {
  readonly tools: readonly WatchedTool[];
  /** The tables of rules, in TOML. */
  readonly text: string;
}

/** Proposes the narrowest policy that covers the recorded calls that reached a server. */
export function proposePolicy(policy: Policy, records: readonly StoredRecord[]): PolicyProposal {
  const carriedOut = records.filter(({ outcome, code }) => outcome === "done" || code === "tool_error");
  const tools = policy.servers.flatMap((server) => {
    const own = carriedOut.filter(({ tool }) => serverOf(policy, tool) === server);
    const names = [...new Set(own.map(({ tool }) => tool))].sort();
    return names.map((tool) => ({
      server,
      ...watchedTool(
        server,
        tool,
        own.filter((record) => record.tool === tool),
      ),
    }));
  });
  const text = policy.servers
    .map((server) => {
      const own = tools.filter((one) => one.server === server);
      const table = server.place === undefined ? "tools" : `servers.${server.name}.tools`;
      const lines = own.map(
        ({ tool, rule, calls }) =>
          `${JSON.stringify(tool.slice(server.prefix.length))} = ${rule} # ${calls} ${calls === 1 ? "call" : "calls"}\n`,
      );
      return `[${table}]\n${lines.join("")}`;
    })
    .join("\n");
  return { tools: tools.map(({ server: _, ...tool }) => tool), text };
}

const UNASKED: ReadonlySet<string> = new Set(["read_only", "allow"]);

function serverOf({ servers }: Policy, tool: string): ServerPolicy | undefined {
  const prefixed = servers.find(({ prefix }) => prefix !== "" && tool.startsWith(prefix));
  return prefixed ?? servers.find(({ prefix }) => prefix === "");
}

function watchedTool(server: ServerPolicy, tool: string, records: readonly StoredRecord[]): WatchedTool {
  const { price, steps } = server.toolRule(tool.slice(server.prefix.length));
  const isRead = steps.length === 1 && steps[0]?.rule === "read_only";
  return {
    tool,
    calls: records.length,
    asked: records.filter(({ decision }) => !UNASKED.has(decision)).length,
    usd: price * records.length,
    rule: isRead ? '"read_only"' : narrowRule(records, price),
  };
}

function narrowRule(records: readonly StoredRecord[], price: number): string {
  const narrow = narrowCondition(records.map(({ input }) => input));
  if (!narrow.ok) return '"person"';
  const { when } = narrow.value;
  const text = when.includes("'") ? JSON.stringify(when) : `'${when}'`;
  return `{ rule = "allow", when = ${text}${price > 0 ? `, price = ${price}` : ""} }`;
}

/** The proposal with its reasons, as its reader sees it. */
export function proposalText(
  { tools, text }: PolicyProposal,
  { since, now }: { readonly since: number; readonly now: number },
): string {
  const days = Math.max(1, Math.round((now - since) / DAY_MS));
  const count = (of: (tool: WatchedTool) => number) => tools.reduce((sum, tool) => sum + of(tool), 0);
  const usd = formatUsd(microsOf(count((tool) => tool.usd)));
  return [
    `# ${count((tool) => tool.calls)} calls since ${formatTime(since)} UTC (${days} ${days === 1 ? "day" : "days"}).`,
    `# The rules would have asked about ${count((tool) => tool.asked)} of them. The calls cost ${usd}.`,
    "# The rules below cover these calls, and ask about all others. Read them: a call that was made is not always right.",
    "",
    text,
  ].join("\n");
}
