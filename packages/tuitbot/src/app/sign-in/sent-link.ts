import { createHmac, randomBytes } from "node:crypto";
import { canonicalJson, DAY_MS } from "@toolpact/contract/internal";
import { sameDigest } from "@toolpact/contract/internal/guards";
import { spendAnswer } from "../../storage/spent-answers.ts";
import type { SessionPlace } from "./sessions.ts";

/** A mail may be read the next morning. */
const LINK_MS = DAY_MS;

/** Any server of the account accepts it, once. */
export function signSentLink(
  key: Uint8Array,
  { account, person, now }: { readonly account: string; readonly person: string; readonly now: number },
): string {
  const payload = Buffer.from(
    JSON.stringify([person, now + LINK_MS, randomBytes(16).toString("base64url")]),
  ).toString("base64url");
  return `${payload}.${signatureOf(key, account, payload)}`;
}

/** A link works once, on any server of the database. */
export async function useSentLink(
  { db, account, now }: SessionPlace,
  key: Uint8Array,
  link: string,
): Promise<string | undefined> {
  const [payload = "", signature = ""] = link.split(".");
  if (!sameDigest(signature, signatureOf(key, account, payload))) return undefined;
  // We wrote it in this form.
  const [person, expiresAt] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [string, number];
  if (expiresAt <= now || (await isVoid({ db, account }, person, expiresAt))) return undefined;
  const isFirst = await spendAnswer(db, `link:${signature}`, { now, expiresAt });
  return isFirst ? person : undefined;
}

/** For one user or all. */
export async function voidSentLinks(
  { db, account, now }: SessionPlace,
  person: string | undefined,
): Promise<void> {
  // Later than every earlier link's expiry.
  const row = { id: voidId(account, person), expires_at: now + LINK_MS };
  await db
    .insertInto("spent_answers")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ expires_at: row.expires_at }))
    .execute();
}

async function isVoid(
  { db, account }: Omit<SessionPlace, "now">,
  person: string,
  expiresAt: number,
): Promise<boolean> {
  const found = await db
    .selectFrom("spent_answers")
    .select("id")
    .where("id", "in", [voidId(account, person), voidId(account, undefined)])
    .where("expires_at", ">=", expiresAt)
    .executeTakeFirst();
  return found !== undefined;
}

function voidId(account: string, person: string | undefined): string {
  return `void links:${canonicalJson([account, ...(person === undefined ? [] : [person])])}`;
}

function signatureOf(key: Uint8Array, account: string, payload: string): string {
  return createHmac("sha256", key)
    .update(canonicalJson(["sign-in link", account, payload]))
    .digest("base64url");
}
