import type { JsonObject } from "@toolpact/contract";
import { isOperationId, operations } from "@toolpact/x-api/operations";
import type { Sandbox } from "@toolpact/x-sandbox";
import { openStore, type StorePlace } from "../../src/storage/open-store.ts";
import type { Envelope } from "../live-server.ts";
import type { Scenario } from "./scenarios.ts";

/** One way in which the world, the receipts and the answers disagree. */
export type Complaint = `${Trouble}: ${string}`;

export const TROUBLES = ["duplicated", "forgotten", "misreported", "broken off"] as const;

type Trouble = (typeof TROUBLES)[number];

/** The result reported by an answer, or by the refusal of a call that another server has just carried out. */
export function resultIn(answer: Envelope | undefined): JsonObject | undefined {
  if (answer?.success === true) {
    // The data of a success is an object; that of an approval has the call's own in it.
    const { result = answer.data } = answer.data as JsonObject;
    return result as JsonObject;
  }
  const { state, result } = (answer?.error?.details?.receipt ?? {}) as JsonObject;
  return state === "confirmed" ? (result as JsonObject) : undefined;
}

/** Compares X's content under the reported id with the requested one. */
export function wrongReport(
  { reported }: Scenario,
  args: JsonObject,
  result: JsonObject,
): readonly Complaint[] {
  const held = reported?.(result);
  const asked = args.text ?? args.name;
  return reported === undefined || held === asked
    ? []
    : [`misreported: ${JSON.stringify(result)} was reported as done, but X holds ${held} for ${asked}`];
}

/** Differences between X's world and the receipts, except for the unknown outcomes that were reported. */
export async function disagreements(
  sandbox: Sandbox,
  scenario: Scenario,
  place: StorePlace,
  doubts: number,
): Promise<readonly Complaint[]> {
  const opened = await openStore(place, { now: Date.now });
  if (!opened.ok) return [`broken off: ${opened.failure.message}`];
  const { db, close } = opened.value;
  const receipts = await db.selectFrom("receipts").selectAll().execute();
  const made = await db.selectFrom("steps").select("makes").where("makes", "is not", null).execute();
  const audited = await db.selectFrom("audit").select(["receipt_id", "status"]).execute();
  const spent = await db.selectFrom("spend").select(["period", "micros"]).execute();
  const unpaid = await db.selectFrom("ledger").select("id").where("settled_micros", "is", null).execute();
  await close();

  const complaints: Complaint[] = [];
  const effects = scenario.effects();
  if (effects.some((count) => count > 1)) complaints.push(`duplicated: X holds ${effects}`);
  if (doubts === 0 && effects.some((count) => count < 1)) complaints.push(`forgotten: X holds ${effects}`);
  const confirmed = receipts.filter(({ state }) => state === "confirmed");
  const calls = scenario.alike === undefined ? 1 : 2;
  // Taking a mark away again is a new call each time.
  const isEnough =
    scenario.takesAway === true ? confirmed.length >= calls : confirmed.length === calls - doubts;
  if (!isEnough) complaints.push(`misreported: ${confirmed.length} receipts are confirmed`);
  const open = receipts.filter(({ state }) => state === "unknown" || state === "pending");
  if (open.length !== doubts)
    complaints.push(`forgotten: ${open.length} receipts are open, ${doubts} were reported so`);
  for (const { id, state } of receipts) {
    const ends = audited.filter(({ receipt_id }) => receipt_id === id).map(({ status }) => status);
    if (ends.length === 0) complaints.push(`forgotten: receipt ${id} is not in the audit log`);
    else if (ends.includes("success") !== (state === "confirmed"))
      complaints.push(`misreported: receipt ${id} is ${state}, the audit log says ${ends}`);
  }
  const things = scenario.takesAway === true ? 0 : effects.length;
  if (doubts === 0 && made.length !== things)
    complaints.push(`forgotten: receipts remember ${made.length} of ${things} things`);
  // Reads that a killed server did not live to settle stay at their estimate.
  const charged = Math.round(writesCharged(sandbox) * 1e6);
  const counted = Math.max(0, ...spent.map(({ micros }) => micros));
  if (counted < charged)
    complaints.push(
      `misreported: X charged ${charged}, the ledger counts ${counted} (${unpaid.length} open)`,
    );
  return complaints;
}

function writesCharged(sandbox: Sandbox): number {
  return sandbox.ledger.entries
    .filter(({ operation }) => isOperationId(operation) && operations[operation].method !== "GET")
    .reduce((sum, { usd }) => sum + usd, 0);
}

/** How many calls have no known outcome. */
export async function openReceipts(place: StorePlace): Promise<number> {
  const opened = await openStore(place, { now: Date.now });
  if (!opened.ok) throw opened.failure;
  const { db, close } = opened.value;
  const open = await db
    .selectFrom("receipts")
    .select("id")
    .where("state", "in", ["pending", "unknown"])
    .execute();
  await close();
  return open.length;
}
