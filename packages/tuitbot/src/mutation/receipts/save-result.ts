import type { Json } from "@toolpact/contract";
import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";

/** Keeps the answer of a mutation that was confirmed without one. */
export async function saveResult(db: Kysely<Database>, receiptId: string, result: Json): Promise<void> {
  await db
    .updateTable("receipts")
    .set({ result_json: JSON.stringify(result) })
    .where("id", "=", receiptId)
    .where("state", "=", "confirmed")
    .where("result_json", "is", null)
    .execute();
}
