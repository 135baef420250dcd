import type { Session } from "../storage/store.ts";
import { objectIn } from "../x/shapes/x-object.ts";
import { cleaned } from "../x/untrusted.ts";

/** A decided item. Its text is the agent's. */
export interface RuleExample {
  readonly id: number;
  readonly at: string;
  readonly tool: string;
  readonly text: string;
  readonly status: string;
  readonly decided_by: string | null;
}

export async function examplesOf(
  { store, account }: Session,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RuleExample>> {
  const wanted = [...new Set(ids)].slice(0, MAX_EXAMPLES);
  if (wanted.length === 0) return new Map();
  const rows = await store.db
    .selectFrom("approvals")
    .select(["id", "tool", "args_json", "status", "decided_by", "decided_at", "created_at"])
    .where("account", "=", account)
    .where("id", "in", wanted)
    .execute();
  return new Map(
    rows.map(({ id, tool, args_json, status, decided_by, decided_at, created_at }) => [
      id,
      { id, at: isoOf(decided_at ?? created_at), tool, text: textOf(args_json), status, decided_by },
    ]),
  );
}

/** Databases limit the values in a query. */
const MAX_EXAMPLES = 500;

function textOf(argsJson: string): string {
  // Written as JSON.
  const args = objectIn(cleaned(JSON.parse(argsJson)));
  const { text, tweets } = args;
  if (typeof text === "string") return text;
  return Array.isArray(tweets) ? tweets.join(" / ") : JSON.stringify(args);
}

export function isoOf(at: number): string {
  return new Date(at).toISOString();
}
