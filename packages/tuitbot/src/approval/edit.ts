import type { Failed, Failure, JsonObject } from "@toolpact/contract";
import { canonicalJson, isJsonObject, parseJson } from "@toolpact/contract/internal";
import type { Micros } from "@toolpact/contract/internal/money";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { errors } from "../errors.ts";
import type { Store } from "../storage/store.ts";
import { transact } from "../storage/transaction.ts";
import { approvalDigest, itemFrom, type QueuedMutation } from "./item.ts";
import { alreadyDecided, contentOf, findItem, maskedJson } from "./queue.ts";

export interface ItemEdit {
  readonly account: string;
  readonly id: number;
  /** As the editor saw it. */
  readonly digest: string;
  readonly args: JsonObject;
  /** SHA-256. */
  readonly media: readonly string[];
  /** The new call's digest. */
  readonly claim: string;
  readonly estimatedMicros: Micros;
  /** By the policy; the item keeps a higher number. */
  readonly peopleNeeded?: number | undefined;
  readonly editor: string;
  readonly now: number;
}

/** The digest changes, which invalidates earlier approvals. */
export async function editItem(
  store: Store,
  key: Uint8Array,
  { account, id, digest, args, media, claim, estimatedMicros, editor, now, ...edit }: ItemEdit,
): Promise<Outcome<QueuedMutation, Failure>> {
  return transact(store, async (db) => {
    const found = await findItem(db, account, id);
    if (!found.ok) return found;
    const { tool, args: oldArgs, schedule, facts } = found.value;
    const peopleNeeded = Math.max(found.value.peopleNeeded, edit.peopleNeeded ?? 1);
    if (schedule?.series !== undefined) return editDraftsInstead(id);
    const same = await db
      .selectFrom("approvals")
      .select("id")
      .where("account", "=", account)
      .where("claim", "=", claim)
      .where("id", "!=", id)
      .executeTakeFirst();
    if (same !== undefined) return duplicateItem(id, same.id);
    const row = await db
      .updateTable("approvals")
      .set({
        claim,
        args_json: canonicalJson(args),
        content: contentOf(tool, args),
        media_json: JSON.stringify(media),
        // It may have another subject now.
        context_json: null,
        // For another content.
        votes_json: null,
        people_needed: peopleNeeded,
        estimated_micros: estimatedMicros,
        digest: approvalDigest(key, { id, account, tool, args, media, schedule, facts, peopleNeeded }),
      })
      .where("account", "=", account)
      .where("id", "=", id)
      .where("status", "=", "pending")
      .where("digest", "=", digest)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined)
      return found.value.status === "pending" ? contentChanged(id) : alreadyDecided(found.value);
    await db
      .insertInto("approval_edits")
      .values({
        account,
        approval_id: id,
        at: now,
        editor,
        old_args_json: maskedJson(oldArgs),
        new_args_json: maskedJson(args),
      })
      .execute();
    return ok(itemFrom(row));
  });
}

function editDraftsInstead(id: number): Outcome<never, Failure> {
  return errors.fail("validation_error", `Item ${id} is for recurring posts. It was not changed.`, {
    suggestedFix: "Change single posts with `tuitbot drafts edit`, which asks again for each of them.",
    fixBy: "human",
    details: { id },
  });
}

function duplicateItem(id: number, other: number): Outcome<never, Failure> {
  return errors.fail(
    "validation_error",
    `Item ${other} has the same content already. Item ${id} was not changed.`,
    {
      reason: "duplicate_request",
      suggestedFix: `Approve item ${other} and reject this one, or give this one another text.`,
      fixBy: "human",
      details: { id, same_as: other },
    },
  );
}

export function contentChanged(id: number): Failed<Failure<"policy_denied_hard_rule">> {
  return failed({
    code: "policy_denied_hard_rule",
    reason: "content_changed",
    policyDecision: "denied",
    message: `Item ${id} has changed since it was shown. Nothing was sent.`,
    suggestedFix: "Read it again, then decide about the new content.",
    fixBy: "human",
  });
}

/** The text if there is one, otherwise JSON. */
export interface Editable {
  readonly text: string;
  readonly ending: "txt" | "json";
}

export function toEditable(args: JsonObject): Editable {
  return typeof args.text === "string"
    ? { text: args.text, ending: "txt" }
    : { text: `${JSON.stringify(args, null, 2)}\n`, ending: "json" };
}

export function applyEdit(args: JsonObject, text: string): Outcome<JsonObject, string> {
  if (typeof args.text === "string") {
    // Editors end a file with a line break.
    const typed = args.text.endsWith("\n") ? text : text.replace(/\r?\n$/, "");
    return ok({ ...args, text: typed });
  }
  const value = parseJson(text);
  return isJsonObject(value)
    ? ok(value)
    : failed("The edited text is not a JSON object. Nothing was changed.");
}
