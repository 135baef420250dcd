import type { JsonObject } from "@toolpact/contract";
import { DAY_MS, isJsonObject, parseJson } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import type { PersonSession } from "./approvals.ts";

export interface UnsavedText {
  readonly browser: string;
  readonly key: string;
  readonly value: JsonObject;
  readonly updated_at: string;
}

/** Older texts are deleted, and the oldest beyond this number. */
const KEPT_MS = 30 * DAY_MS;
const MAX_TEXTS = 200;

interface KeepRequest {
  readonly browser: string;
  readonly key: string;
  /** Undefined once saved, sent or dropped. */
  readonly value?: JsonObject | undefined;
}

/** Saves a browser's text, and returns those of the user's others. Two windows on a draft lose nothing. */
export async function keepText({ browser, key, value }: KeepRequest, session: TextSession) {
  const { db, account, person, now } = placeOf(session);
  const own = db.deleteFrom("web_texts").where("account", "=", account).where("person", "=", person);
  if (value === undefined) await own.where("browser", "=", browser).where("key", "=", key).execute();
  else {
    const row = { value_json: JSON.stringify(value), updated_at: now };
    await db
      .insertInto("web_texts")
      .values({ account, person, browser, key, ...row })
      .onConflict((conflict) => conflict.columns(["account", "person", "browser", "key"]).doUpdateSet(row))
      .execute();
    await own.where("updated_at", "<=", now - KEPT_MS).execute();
    const last = await db
      .selectFrom("web_texts")
      .select("updated_at")
      .where("account", "=", account)
      .where("person", "=", person)
      .orderBy("updated_at", "desc")
      .offset(MAX_TEXTS)
      .limit(1)
      .executeTakeFirst();
    if (last !== undefined) await own.where("updated_at", "<=", last.updated_at).execute();
  }
  return unsavedTexts({ browser }, session);
}

/** Newest first. */
export async function unsavedTexts({ browser }: Pick<KeepRequest, "browser">, session: TextSession) {
  const { db, account, person, now } = placeOf(session);
  const rows = await db
    .selectFrom("web_texts")
    .selectAll()
    .where("account", "=", account)
    .where("person", "=", person)
    .where("browser", "!=", browser)
    .where("updated_at", ">", now - KEPT_MS)
    .orderBy("updated_at", "desc")
    .execute();
  const texts = rows.flatMap((row): readonly UnsavedText[] => {
    const value = parseJson(row.value_json);
    const { browser, key, updated_at } = row;
    return isJsonObject(value)
      ? [{ browser, key, value, updated_at: new Date(updated_at).toISOString() }]
      : [];
  });
  return ok({ texts });
}

type TextSession = Pick<PersonSession, "db"> & {
  readonly visitor: Pick<PersonSession["visitor"], "person" | "now">;
};

function placeOf({ db, visitor: { person, now } }: TextSession) {
  return { db: db.store.db, account: db.account, person, now };
}
