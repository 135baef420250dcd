import { createHash, createHmac, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { Json, JsonObject } from "@toolpact/contract";
import { canonicalJson, MINUTE_MS } from "@toolpact/contract/internal";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { spendAnswer } from "../../storage/spent-answers.ts";
import type { SessionPlace, Visitor } from "./sessions.ts";

/** While an account has one, approvals require its signature. */
export interface Passkey {
  readonly id: string;
  readonly person: string;
  /** The dashboard's host name. */
  readonly site: string;
  readonly created_at: string;
}

export interface PasskeyPlace extends SessionPlace {
  readonly person: string;
  /** As the browser sees it. */
  readonly origin: string;
  /** Signs challenges, so they need no storage. */
  readonly key: Uint8Array;
}

/** Items with content, a rule, a client or agent with permissions, or a passkey. */
export interface Subject {
  readonly purpose:
    | "approve"
    | "similar_day"
    | "similar_week"
    | "next_slot"
    | "rule"
    | "connect"
    | "permit"
    | "register"
    | "remove";
  readonly of: Json;
}

/** From `PublicKeyCredential.toJSON`, with the challenge's ticket. */
export interface Signature {
  readonly ticket: string;
  readonly response: JsonObject;
}

/** Enough to find a device and use it. */
const TICKET_MS = 5 * MINUTE_MS;

export async function listPasskeys({
  db,
  account,
}: Pick<SessionPlace, "db" | "account">): Promise<readonly Passkey[]> {
  const rows = await db
    .selectFrom("web_passkeys")
    .select(["id", "person", "site", "created_at"])
    .where("account", "=", account)
    .orderBy("created_at")
    .execute();
  return rows.map(({ created_at, ...row }) => ({ ...row, created_at: new Date(created_at).toISOString() }));
}

/** Approvers remove their own, except the account's last one, after which approvals would need none. */
export async function removalProblem(
  place: Pick<SessionPlace, "db" | "account">,
  id: string,
  { person, role }: Visitor,
): Promise<string | undefined> {
  if (role === "owner") return undefined;
  const found = await listPasskeys(place);
  if (!found.some((one) => one.id === id && one.person === person))
    return "Only an owner removes a passkey of somebody else.";
  return found.length === 1 ? "Only an owner removes the last passkey." : undefined;
}

/** Serializes removals of an account until the transaction ends. */
export async function lockPasskeys({ db, account }: Pick<SessionPlace, "db" | "account">): Promise<void> {
  await db
    .updateTable("web_passkeys")
    .set(({ ref }) => ({ uses: ref("uses") }))
    .where("account", "=", account)
    .execute();
}

export async function removePasskey(
  { db, account }: Pick<SessionPlace, "db" | "account">,
  id: string,
): Promise<boolean> {
  const removed = await db
    .deleteFrom("web_passkeys")
    .where("account", "=", account)
    .where("id", "=", id)
    .returning("id")
    .execute();
  return removed.length > 0;
}

export async function challengeFor(
  place: PasskeyPlace,
  subject: Subject,
): Promise<
  Outcome<{ readonly ticket: string; readonly options: PublicKeyCredentialRequestOptionsJSON }, string>
> {
  const site = siteOf(place);
  if (!site.ok) return site;
  const usable = (await passkeysFor(place, subject)).filter((row) => row.site === site.value);
  if (usable.length === 0)
    return failed(
      `No passkey for this was registered at ${site.value}${usesOwn(subject) ? " by you" : ""}.${
        subject.purpose === "remove" ? " At the terminal: tuitbot people passkeys --remove ID." : ""
      }`,
    );
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  const ticket = newTicket(place.now);
  const options = await generateAuthenticationOptions({
    rpID: site.value,
    challenge: challengeOf(place, subject, ticket),
    userVerification: "required",
    allowCredentials: usable.map(({ id, transports_json }) => ({
      id,
      transports: transportsIn(transports_json),
    })),
  });
  return ok({ ticket, options });
}

/** Checks that this passkey signed exactly this, here, once. */
export async function checkSignature(
  place: PasskeyPlace,
  subject: Subject,
  { ticket, response }: Signature,
): Promise<Outcome<string, string>> {
  const site = siteOf(place);
  if (!site.ok) return site;
  if (expiryOf(ticket) <= place.now) return failed("The passkey was used too late.");
  const row = (await passkeysFor(place, subject)).find(({ id }) => id === response.id);
  if (row === undefined) return failed("This passkey is not registered for this.");
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      // The library checks its shape.
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: challengeOf(place, subject, ticket).toString("base64url"),
      expectedOrigin: place.origin,
      expectedRPID: site.value,
      requireUserVerification: true,
      credential: {
        id: row.id,
        publicKey: new Uint8Array(Buffer.from(row.public_key, "base64url")),
        counter: row.uses,
      },
    });
    if (!verified) return failed(NOT_VALID);
    const spent = { now: place.now, expiresAt: expiryOf(ticket) };
    if (!(await spendAnswer(place.db, `passkey ${ticket}`, spent)))
      return failed("This signature was used before.");
    await place.db
      .updateTable("web_passkeys")
      .set({ uses: authenticationInfo.newCounter })
      .where("account", "=", place.account)
      .where("id", "=", row.id)
      .execute();
    return ok(row.id);
  } catch {
    // For every fault of a signature.
    return failed(NOT_VALID);
  }
}

const NOT_VALID =
  "The signature is not for exactly this, or the device did not check who holds it (by finger, face or PIN).";

export async function newPasskey(
  place: PasskeyPlace,
): Promise<
  Outcome<{ readonly ticket: string; readonly options: PublicKeyCredentialCreationOptionsJSON }, string>
> {
  const site = siteOf(place);
  if (!site.ok) return site;
  const { db, account, person } = place;
  const own = await db
    .selectFrom("web_passkeys")
    .select("id")
    .where("account", "=", account)
    .where("person", "=", person)
    .execute();
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const ticket = newTicket(place.now);
  const options = await generateRegistrationOptions({
    rpName: "tuitbot",
    rpID: site.value,
    userName: person,
    userID: new Uint8Array(createHash("sha256").update(`${account} ${person}`).digest()),
    challenge: challengeOf(place, NEW, ticket),
    attestationType: "none",
    excludeCredentials: own,
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
  });
  return ok({ ticket, options });
}

const NEW = { purpose: "register", of: "new" } as const satisfies Subject;

export async function savePasskey(
  place: PasskeyPlace,
  { ticket, response }: Signature,
): Promise<Outcome<string, string>> {
  const site = siteOf(place);
  if (!site.ok) return site;
  if (expiryOf(ticket) <= place.now) return failed("The passkey was made too late.");
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      // The library checks its shape.
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: challengeOf(place, NEW, ticket).toString("base64url"),
      expectedOrigin: place.origin,
      expectedRPID: site.value,
      requireUserVerification: true,
    });
    if (!verified) return failed(NOT_VALID);
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    const { db, account, person, now } = place;
    const stored = await db
      .insertInto("web_passkeys")
      .values({
        account,
        id,
        person,
        site: site.value,
        public_key: Buffer.from(publicKey).toString("base64url"),
        uses: counter,
        transports_json: JSON.stringify(transports),
        created_at: now,
      })
      .onConflict((conflict) => conflict.columns(["account", "id"]).doNothing())
      .returning("id")
      .executeTakeFirst();
    return stored === undefined ? failed("This passkey is registered already.") : ok(id);
  } catch {
    return failed(NOT_VALID);
  }
}

function passkeysFor({ db, account, person }: PasskeyPlace, subject: Subject) {
  return db
    .selectFrom("web_passkeys")
    .selectAll()
    .where("account", "=", account)
    .$if(usesOwn(subject), (query) => query.where("person", "=", person))
    .execute();
}

/** A new passkey can be vouched for by any of the account. */
function usesOwn({ purpose }: Subject): boolean {
  return purpose !== "register";
}

/** Browsers have no passkeys for IP addresses. */
function siteOf({ origin }: PasskeyPlace): Outcome<string, string> {
  const { hostname } = new URL(origin);
  return isIP(hostname.replace(/[[\]]/g, "")) === 0
    ? ok(hostname)
    : failed(
        `Browsers have passkeys for names alone, not for ${hostname}: open the page with tuitbot web --host localhost.`,
      );
}

function newTicket(now: number): string {
  return `${randomBytes(16).toString("base64url")}.${now + TICKET_MS}`;
}

function expiryOf(ticket: string): number {
  return Number(ticket.split(".")[1] ?? 0) || 0;
}

/** Bound to ticket, item, content and person. */
function challengeOf({ key, account, person }: PasskeyPlace, { purpose, of }: Subject, ticket: string) {
  return createHmac("sha256", key)
    .update(canonicalJson(["passkey", account, person, purpose, of, ticket]))
    .digest();
}

function transportsIn(json: string): AuthenticatorTransport[] {
  // Written by `savePasskey`.
  return JSON.parse(json) as AuthenticatorTransport[];
}
