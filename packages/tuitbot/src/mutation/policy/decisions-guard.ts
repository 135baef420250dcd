import type { Caller, JsonObject } from "@toolpact/contract";
import { orStorageFailure } from "../../storage/storage-error.ts";
import type { Session } from "../../storage/store.ts";
import { cleanText } from "../../x/untrusted.ts";
import { type CallContext, type GeneralGuard, isByPerson } from "../call-context.ts";
import { asQueued } from "./ask-for-approval.ts";

/** Items that the calls of each client wait for, in this process. */
export type WaitingCalls = Map<string, Set<number>>;

interface DecisionsDependencies {
  readonly waitingCalls: WaitingCalls;
}

/** A client that never asks again must not fill the memory, nor one that calls itself otherwise with every call. */
const MOST_WAITING = 500;
const MOST_CLIENTS = 1_000;

/** Tells an agent with its next call what people decided about its earlier ones, with their reason or edit, once. */
export const decisions: GeneralGuard<DecisionsDependencies, Pick<CallContext, "account" | "isOwnCall">> = {
  name: "decisions",
  codes: () => [],
  async run(call, next, { waitingCalls }) {
    const outcome = await next();
    const { account, isOwnCall } = call.context;
    if (account === undefined || isOwnCall === true || isByPerson(call.caller)) return outcome;
    const name = nameOf(call.caller);
    const waiting = waitingCalls.get(name) ?? new Set();
    if (waiting.size > 0) {
      // The call itself has ended, whatever becomes of this.
      const found = await orStorageFailure(async () => ({
        ok: true,
        value: await decisionsAbout(account, [...waiting]),
      }));
      if (found.ok && found.value.length > 0) {
        call.annotate({ decisions: found.value.map(({ view }) => view) });
        for (const { id } of found.value) waiting.delete(id);
      }
    }
    const queued = outcome.ok ? asQueued(outcome.value) : undefined;
    if (queued !== undefined && waiting.size < MOST_WAITING) waiting.add(queued.approval_queue_id);
    waitingCalls.delete(name);
    if (waiting.size > 0) waitingCalls.set(name, waiting);
    // Those that called are behind the others, so that the first has been silent for longest.
    const [silent] = waitingCalls.size > MOST_CLIENTS ? waitingCalls.keys() : [];
    if (silent !== undefined) waitingCalls.delete(silent);
    return outcome;
  },
};

/** Clients over HTTP have no connection that lasts; the same name under the same token is the same agent. */
function nameOf({ transport, client = "", principal = "" }: Caller): string {
  return JSON.stringify([transport, client, principal]);
}

/** What people decided about these items, as an agent is told. */
export async function decisionsAbout(
  { store, account }: Session,
  ids: readonly number[],
): Promise<readonly { readonly id: number; readonly view: JsonObject }[]> {
  const rows = await store.db
    .selectFrom("approvals")
    .select(["id", "tool", "status", "note"])
    .where("account", "=", account)
    .where("id", "in", ids)
    .where("status", "in", ["executed", "failed", "rejected", "expired"])
    .orderBy("id")
    .limit(MOST_TOLD)
    .execute();
  const edits = await editsOf(
    { store, account },
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, tool, status, note }) => ({
    id,
    view: {
      approval_queue_id: id,
      tool,
      status,
      ...(note !== null && { person_says: cleanText(note) }),
      ...(edits.has(id) && { edited_to: edits.get(id) }),
    },
  }));
}

/** What each answer has room for; the rest comes with the next. */
const MOST_TOLD = 10;

/** The last text that a person put in the place of the agent's, or null where it was no text. */
export async function editsOf(
  { store, account }: Session,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await store.db
    .selectFrom("approval_edits")
    .select(["approval_id", "new_args_json"])
    .where("account", "=", account)
    .where("approval_id", "in", ids)
    .orderBy("id")
    .execute();
  return new Map(
    rows.map(({ approval_id, new_args_json }) => {
      const { text } = Object(JSON.parse(new_args_json)) as { readonly text?: unknown };
      return [approval_id, typeof text === "string" ? cleanText(text) : null];
    }),
  );
}
