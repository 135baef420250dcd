import type { Caller, Guard } from "../call.ts";
import type { Clock } from "../clock.ts";
import type { JsonObject } from "../json.ts";
import type { ApprovalItem } from "./approval-item.ts";
import { waitingItem } from "./person-decides.ts";
import type { GuardStorage } from "./storage.ts";

/** Items that the calls of each client wait for, in this process. */
export type WaitingCalls = Map<string, Set<number>>;

/** What people decided about one item, as an agent is told. */
export interface ToldDecision {
  readonly id: number;
  readonly view: JsonObject;
}

/** A client that never asks again must not fill the memory, nor one that calls itself otherwise with every call. */
const MOST_WAITING = 500;
const MOST_CLIENTS = 1_000;

/** What each answer has room for; the rest comes with the next. */
export const MOST_TOLD = 10;

/**
 * Tells an agent with its next call what people decided about its earlier ones, once, in the metadata of the answer. It
 * stands before `personDecides`.
 *
 * ```ts
 * const letters = defineProduct<{ notes: SuccessNotes; annotations: JsonObject }>()({
 *   errors,
 *   categories: ["write"],
 *   profiles: ["full"],
 *   services: {},
 * });
 * const guardStorage = await openSqlStorage(await openSqlite("guards.db"), { scope: "letters", key });
 * const stack = letters
 *   .guardStack("writes")
 *   .use(decisionsTold)
 *   .use(personDecides({ code: "denied" }))
 *   .use(nothingTwice({ code: "denied" }))
 *   .answering(successEnvelope(errors))
 *   .bind({ clock: systemClock, guardStorage, waitingCalls: new Map() });
 * ```
 */
export const decisionsTold: Guard<
  unknown,
  unknown,
  JsonObject,
  { readonly clock: Clock; readonly guardStorage: GuardStorage; readonly waitingCalls: WaitingCalls }
> = {
  name: "decisions",
  ordered: "decisionsTold",
  codes: () => [],
  async run(call, next, { clock, guardStorage, waitingCalls }) {
    const outcome = await next();
    if (isByPerson(call.caller)) return outcome;
    await tellDecisions(waitingCalls, call.caller, {
      queued: waitingItem(outcome),
      decided: async (ids) => (await guardStorage.decided(ids, MOST_TOLD, clock.now())).map(told),
      tell: (decisions) => call.annotate({ decisions }),
    }).catch(() => {
      // The call itself has ended, whatever becomes of this.
      call.warn("What people have decided about earlier calls could not be read.");
    });
    return outcome;
  },
};

/** Whether a person makes the call by hand, at the terminal or at the page. */
export function isByPerson({ transport }: Pick<Caller, "transport">): boolean {
  return transport === "cli" || transport === "web";
}

function told({ id, tool, status, note }: ApprovalItem): ToldDecision {
  return { id, view: { item_id: id, tool, status, ...(note !== undefined && { person_says: note }) } };
}

export interface TellOptions {
  /** The item that the call which just ended waits for. */
  readonly queued: number | undefined;
  /** What was decided about some of these items. */
  readonly decided: (ids: readonly number[]) => Promise<readonly ToldDecision[]>;
  readonly tell: (decisions: readonly JsonObject[]) => void;
}

/** Tells a client what was decided about the items that its earlier calls wait for, and keeps that of this one. */
export async function tellDecisions(
  waitingCalls: WaitingCalls,
  caller: Caller,
  { queued, decided, tell }: TellOptions,
): Promise<void> {
  const name = nameOf(caller);
  const waiting = waitingCalls.get(name) ?? new Set();
  if (waiting.size > 0) {
    const found = await decided([...waiting]);
    if (found.length > 0) tell(found.map(({ view }) => view));
    for (const { id } of found) waiting.delete(id);
  }
  if (queued !== undefined && waiting.size < MOST_WAITING) waiting.add(queued);
  waitingCalls.delete(name);
  if (waiting.size > 0) waitingCalls.set(name, waiting);
  // Those that called are behind the others, so that the first has been silent for longest.
  const [silent] = waitingCalls.size > MOST_CLIENTS ? waitingCalls.keys() : [];
  if (silent !== undefined) waitingCalls.delete(silent);
}

/** Clients over HTTP have no connection that lasts; the same name under the same token is the same agent. */
function nameOf({ transport, client = "", principal = "" }: Caller): string {
  return JSON.stringify([transport, client, principal]);
}
