import type { Config } from "../config/schema.ts";
import { isThisMachine } from "../config/this-machine.ts";
import type { Session } from "../storage/store.ts";

export interface AgentAccess {
  /** False if agents start their own server. */
  readonly isHere: boolean;
  readonly asksForToken: boolean;
}

/** Names the file of the token instead of the token, because a page shows it. */
export function connectLine(
  mcpUrl: string,
  { isHere, asksForToken }: AgentAccess,
  { token, token_file }: Config["server"],
): string {
  if (!isHere) return "npx tuitbot mcp setup";
  const isLocal = isThisMachine(new URL(mcpUrl).hostname);
  const secret = token === undefined && isLocal ? `$(cat ${quoted(token_file)})` : "YOUR_TOKEN";
  const header = asksForToken ? ` --header "Authorization: Bearer ${secret}"` : "";
  return `claude mcp add --transport http tuitbot ${mcpUrl}${header}`;
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

export function firstQuestion(isSandbox: boolean): string {
  return `Find ${isSandbox ? "posts about sourdough" : "posts"} worth a reply, propose a reply to the best one and a post of my own, and when I have approved them, say how they do.`;
}

/** If an agent has called X, and if it has proposed anything. */
export async function firstSteps({ store, account }: Session) {
  const asked = await store.db
    .selectFrom("caller_days")
    .select("caller")
    .where("account", "=", account)
    .where("caller", "not in", OWN_CALLERS)
    .where("caller", "not like", "loop:%")
    .where("caller", "not like", "page:%")
    .limit(1)
    .executeTakeFirst();
  const proposed = await store.db
    .selectFrom("approvals")
    .innerJoin("audit", "audit.correlation_id", "approvals.correlation_id")
    .select("approvals.id")
    .where("approvals.account", "=", account)
    .where("audit.account", "=", account)
    .where("audit.transport", "in", ["stdio", "http"])
    .limit(1)
    .executeTakeFirst();
  return {
    is_connected: asked !== undefined || proposed !== undefined,
    has_proposed: proposed !== undefined,
  };
}

/** Tuitbot itself; empty before callers were recorded. */
const OWN_CALLERS = ["", "tuitbot", "command line", "approval", "draft", "init", "undo"];
