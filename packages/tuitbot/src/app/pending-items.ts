import { weighPost } from "@toolpact/x-api";
import { offersSimilar, type QueuedMutation } from "../approval/item.ts";
import { shownFiles } from "../approval/shown-files.ts";
import type { Session } from "../storage/store.ts";
import { postLimit } from "../x/toolkit/preflight.ts";
import { similarSentence } from "./learned-rules.ts";
import type { Services } from "./services.ts";

/** An item as `--output json` and the dashboard have it. */
export function itemJson(item: QueuedMutation) {
  return {
    id: item.id,
    tool: item.tool,
    args: item.args,
    /** SHA-256 of its files. */
    media: [...item.media],
    ...(item.schedule !== undefined && { schedule: item.schedule }),
    context: item.context ?? null,
    /** Covers everything the approver sees. An approval names it, so changed content is rejected. */
    digest: item.digest,
    /** `releasing`: it was approved and sent, and X did not answer; a person has to look there (`settle`). */
    status: item.status,
    reason: item.reason,
    /** The agent's explanation, in its own words: never published, and to be shown as untrusted text. */
    agent_note: item.agentNote ?? null,
    /** How many different people have to approve it. */
    people_needed: item.peopleNeeded,
    /** Who has approved the current content. */
    approved_by: [...item.approvedBy],
    agent: item.principal ?? null,
    /** The rule that "allow similar" would add for calls like this one, as a sentence; null if there is none. */
    similar: offersSimilar(item) ? similarSentence(item) : null,
    rule_id: item.ruleId,
    estimated_usd: item.estimatedUsd,
    created_at: new Date(item.createdAt).toISOString(),
    expires_at: new Date(item.expiresAt).toISOString(),
  };
}

/** Items with everything that an approver sees: the counted texts, the files and the caller. */
export async function pendingItems(
  { db, workflow }: Pick<Services, "db" | "workflow">,
  items: readonly QueuedMutation[],
) {
  const callers = await callersOf(db, items);
  const files = await shownFiles(db, items, workflow.mediaRoots);
  const limit = postLimit(workflow.access);
  return items.map((item) => ({
    ...itemJson(item),
    /** The texts that it publishes, counted as X counts. */
    posts: textsOf(item).map((text) => ({ text, length: weighPost(text, limit).weighted_length, limit })),
    files: files.get(item.id) ?? [],
    /** Who made the call: the name of the client and its transport; null if that is not known yet. */
    asked_by: callers.get(item.correlationId) ?? null,
  }));
}

interface Caller {
  readonly client: string | null;
  readonly transport: string;
}

/** Who made the calls, by the id of the call. */
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

/** Databases accept a limited number of values in one query. */
const MAX_VALUES = 500;

/** The texts that a call publishes, one for each post. */
function textsOf({ args }: QueuedMutation): readonly string[] {
  const { text, tweets } = args;
  if (typeof text === "string") return [text];
  return Array.isArray(tweets) ? tweets.filter((one) => typeof one === "string") : [];
}
