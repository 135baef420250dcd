import { weighPost } from "@toolpact/x-api";
import { offersSimilar, type QueuedMutation } from "../approval/item.ts";
import { shownFiles } from "../approval/shown-files.ts";
import type { Session } from "../storage/store.ts";
import { postLimit } from "../x/toolkit/preflight.ts";
import { similarSentence } from "./learned-rules.ts";
import type { Services } from "./services.ts";

/** For `--output json` and the dashboard. */
export function itemJson(item: QueuedMutation) {
  return {
    id: item.id,
    tool: item.tool,
    args: item.args,
    /** SHA-256. */
    media: [...item.media],
    ...(item.schedule !== undefined && { schedule: item.schedule }),
    context: item.context ?? null,
    /** Covers everything the approver sees, so a changed item cannot be approved with it. */
    digest: item.digest,
    /** `releasing`: approved and sent without an answer from X. */
    status: item.status,
    reason: item.reason,
    /** Untrusted text; not published. */
    agent_note: item.agentNote ?? null,
    people_needed: item.peopleNeeded,
    approved_by: [...item.approvedBy],
    agent: item.principal ?? null,
    /** A sentence about the rule that "allow similar" would add; null if none. */
    similar: offersSimilar(item) ? similarSentence(item) : null,
    rule_id: item.ruleId,
    estimated_usd: item.estimatedUsd,
    created_at: new Date(item.createdAt).toISOString(),
    expires_at: new Date(item.expiresAt).toISOString(),
  };
}

/** Everything that an approver sees. */
export async function pendingItems(
  { db, workflow }: Pick<Services, "db" | "workflow">,
  items: readonly QueuedMutation[],
) {
  const callers = await callersOf(db, items);
  const files = await shownFiles(db, items, workflow.mediaRoots);
  const limit = postLimit(workflow.access);
  return items.map((item) => ({
    ...itemJson(item),
    /** Counted as X counts. */
    posts: textsOf(item).map((text) => ({ text, length: weighPost(text, limit).weighted_length, limit })),
    files: files.get(item.id) ?? [],
    /** The client's name and transport; null if unknown yet. */
    asked_by: callers.get(item.correlationId) ?? null,
  }));
}

interface Caller {
  readonly client: string | null;
  readonly transport: string;
}

/** By the call's id. */
async function callersOf(
  { store, account }: Session,
  items: readonly QueuedMutation[],
): Promise<ReadonlyMap<string, Caller>> {
  const callers = new Map<string, Caller>();
  for (let start = 0; start < items.length; start += MAX_VALUES) {
    const ids = items.slice(start, start + MAX_VALUES).map(({ correlationId }) => correlationId);
    const rows = await store.db
      .selectFrom("audit")
      .select(["correlation_id", "client", "transport"])
      .where("account", "=", account)
      .where("correlation_id", "in", ids)
      .execute();
    for (const { correlation_id, client, transport } of rows)
      callers.set(correlation_id, { client, transport });
  }
  return callers;
}

/** Databases limit the values in a query. */
const MAX_VALUES = 500;

/** One per post. */
function textsOf({ args }: QueuedMutation): readonly string[] {
  const { text, tweets } = args;
  if (typeof text === "string") return [text];
  return Array.isArray(tweets) ? tweets.filter((one) => typeof one === "string") : [];
}
