import type { Caller } from "../call.ts";
import type { JsonObject } from "../json.ts";
import type { ApprovalItem } from "./approval-item.ts";

/** Items that the calls of each client wait for, in this process. */
export type WaitingCalls = Map<string, Set<number>>;

/** A decision about one item, as an agent sees it. */
export interface ReportedDecision {
  readonly id: number;
  readonly view: JsonObject;
}

/** Bounds the memory that silent clients, or clients with a new name for every call, can use. */
const MAX_WAITING = 500;
const MAX_CLIENTS = 1_000;

/** Decisions per answer; the rest is reported with the next. */
export const MAX_REPORTED = 10;

/** True if a person makes the call, at the terminal or in the web app. */
export function isByPerson({ transport }: Pick<Caller, "transport">): boolean {
  return transport === "cli" || transport === "web";
}

export function reportedDecision({ id, tool, status, note }: ApprovalItem): ReportedDecision {
  return { id, view: { item_id: id, tool, status, ...(note !== undefined && { person_says: note }) } };
}

export interface ReportOptions {
  /** The item that the call which just ended waits for. */
  readonly queued: number | undefined;
  /** Returns the decisions about some of these items. */
  readonly decided: (ids: readonly number[]) => Promise<readonly ReportedDecision[]>;
  readonly report: (decisions: readonly JsonObject[]) => void;
}

/**
 * Reports decisions about items that a client's earlier calls wait for, each once, and remembers the item of this call.
 */
export async function reportDecisions(
  waitingCalls: WaitingCalls,
  caller: Caller,
  { queued, decided, report }: ReportOptions,
): Promise<void> {
  const name = nameOf(caller);
  const waiting = waitingCalls.get(name) ?? new Set();
  if (waiting.size > 0) {
    const found = await decided([...waiting]);
    if (found.length > 0) report(found.map(({ view }) => view));
    for (const { id } of found) waiting.delete(id);
  }
  if (queued !== undefined && waiting.size < MAX_WAITING) waiting.add(queued);
  waitingCalls.delete(name);
  if (waiting.size > 0) waitingCalls.set(name, waiting);
  // Those that called are behind the others, so that the first has been silent for longest.
  const [silent] = waitingCalls.size > MAX_CLIENTS ? waitingCalls.keys() : [];
  if (silent !== undefined) waitingCalls.delete(silent);
}

/** Clients over HTTP have no connection that lasts; the same name under the same token is the same agent. */
function nameOf({ transport, client = "", principal = "" }: Caller): string {
  return JSON.stringify([transport, client, principal]);
}
