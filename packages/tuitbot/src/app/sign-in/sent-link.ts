import { createHmac, randomBytes } from "node:crypto";
import { canonicalJson } from "@toolpact/contract/internal";
import { sameDigest } from "@toolpact/contract/internal/guards";
import { spendAnswer } from "../../storage/spent-answers.ts";
import type { SessionPlace } from "./sessions.ts";

/** The secret part of a link that is sent to somebody, and that any server of the account accepts once. */
export function signSentLink(
  key: Uint8Array,
  { account, person, expiresAt }: { account: string; person: string; expiresAt: number },
): string {
  const payload = Buffer.from(
    JSON.stringify([person, expiresAt, randomBytes(16).toString("base64url")]),
  ).toString("base64url");
  return `${payload}.${signatureOf(key, account, payload)}`;
}

/** Returns the person of a link. A link works once, on any server of the database. */
export async function useSentLink(
  { db, account, now }: SessionPlace,
  key: Uint8Array,
  link: string,
): Promise<string | undefined> {
  const [payload = "", signature = ""] = link.split(".");
  if (!sameDigest(signature, signatureOf(key, account, payload))) return undefined;
  // It is ours, so it has this form.
  const [person, expiresAt] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [string, number];
  if (expiresAt <= now) return undefined;
  const isFirst = await spendAnswer(db, `link:${signature}`, { now, expiresAt });
  return isFirst ? person : undefined;
}

function signatureOf(key: Uint8Array, account: string, payload: string): string {
  return createHmac("sha256", key)
    .update(canonicalJson(["sign-in link", account, payload]))
    .digest("base64url");
}
