import type { ApprovalItem } from "../guards/approval-item.ts";
import type { Receipt } from "../guards/receipt.ts";
import { formatDuration, formatTime, visible } from "../guards/shown-text.ts";
import type { StoredRecord } from "../guards/storage.ts";
import type { JsonObject } from "../json.ts";
import { argumentParts, type CallPart, callParts } from "./call-parts.ts";
import type { InboxSource } from "./inbox.ts";
import { planIn } from "./plan-calls.ts";
import { changeShown } from "./shown-call.ts";

/** The number of calls of the log that the page shows. */
export const MAX_RECENT = 20;

/** The calls of a gate or a server for the page of the inbox. */
export async function sourceShown(
  { name, storage, readsFiles, policy }: InboxSource,
  source: number,
  now: number,
) {
  const of = { source, gate: visible(name) };
  const canAllowSimilar = policy !== undefined;
  const [doubts, items, recent, { day }] = await Promise.all([
    storage.inDoubt(now),
    storage.items("waiting", now),
    storage.records(MAX_RECENT),
    storage.spent(now),
  ]);
  return {
    inDoubt: doubts.map((one) => ({ ...of, ...doubtShown(one, now) })),
    waiting: await Promise.all(
      items.map(async (item) => ({
        ...of,
        can_allow_similar: canAllowSimilar,
        ...(await itemShown(item, now, readsFiles(item.tool), policy === undefined)),
      })),
    ),
    recent,
    spentToday: day,
  };
}

export function recordShown({ at, tool, decision, outcome, code, client }: StoredRecord) {
  return {
    at: formatTime(at),
    tool: visible(tool),
    decision,
    outcome: code ?? outcome,
    client: visible(client ?? ""),
  };
}

async function itemShown(
  { id, tool, args, digest, reason, client, principal, context, createdAt, expiresAt }: ApprovalItem,
  now: number,
  readsFiles: boolean,
  isOwnServer: boolean,
) {
  return {
    id,
    digest,
    tool: visible(tool),
    parts: [
      ...(await callParts(args, readsFiles)),
      // In a gate, this is the definition of the tool, which is shown only if it has changed.
      ...(isOwnServer && context !== undefined ? stateParts(context) : []),
    ],
    reason: visible(reason),
    plan: planIn(reason),
    change: changeShown(context),
    client: visible(principal ?? client ?? "an unnamed client"),
    asked: `${formatDuration(now - createdAt)} ago`,
    expires: `in ${formatDuration(expiresAt - now)}`,
  };
}

function doubtShown({ id, tool, args, note, createdAt }: Receipt, now: number) {
  return {
    id,
    tool: visible(tool),
    parts: argumentParts(args),
    note: visible(note ?? ""),
    sent: `${formatDuration(now - createdAt)} ago`,
  };
}

/** The state that the call depends on: an approval holds for this state only. */
function stateParts(context: JsonObject): readonly CallPart[] {
  return argumentParts(context).map((part) => ({ ...part, name: `${part.name} (at the time of the call)` }));
}
