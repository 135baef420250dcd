import type { Failure, Json } from "@toolpact/contract";
import { peopleLine } from "@toolpact/contract/guards";
import { type Outcome, ok } from "@toolpact/outcome";
import { needsPasskey, notSigned } from "../../approval/needs-passkey.ts";
import { waitsForOthers } from "../../approval/vote.ts";
import { errors } from "../../errors.ts";
import { transact } from "../../storage/transact.ts";
import type { Commands } from "../../web/api.ts";
import {
  challengeFor,
  checkSignature,
  listPasskeys,
  lockPasskeys,
  newPasskey,
  type PasskeyPlace,
  removalProblem,
  removePasskey,
  type Signature,
  type Subject,
  savePasskey,
} from "../../web/passkeys.ts";
import { approvalsOf, type CommandSession } from "./command-session.ts";

type Answer<Name extends keyof Commands> = Promise<Outcome<Commands[Name]["answer"], Failure>>;

export async function passkeys(session: CommandSession): Answer<"passkeys"> {
  const found = await listPasskeys(placeOf(session));
  return ok({ passkeys: found, required: found.length > 0 });
}

export async function passkeyChallenge(
  { purpose, items, id }: Commands["passkey_challenge"]["request"],
  session: CommandSession,
): Answer<"passkey_challenge"> {
  const subject =
    purpose === "register" ? ADDS : purpose === "remove" ? removes(id ?? "") : approves(purpose, items ?? []);
  const place = placeOf(session);
  const problem = purpose === "remove" ? await removalProblem(place, id ?? "", session.visitor) : undefined;
  if (problem !== undefined) return refused(problem);
  const made = await challengeFor(place, subject);
  // The options are JSON for the browser.
  return made.ok
    ? ok({ ticket: made.value.ticket, options: json(made.value.options) })
    : refused(made.failure);
}

export async function passkeyNew(session: CommandSession): Answer<"passkey_new"> {
  const made = await newPasskey(placeOf(session));
  return made.ok
    ? ok({ ticket: made.value.ticket, options: json(made.value.options) })
    : refused(made.failure);
}

/** The first passkey is the owner's word; whoever adds one to it shows that they have one. */
export async function passkeyAdd(
  { ticket, response, signature }: Commands["passkey_add"]["request"],
  session: CommandSession,
): Answer<"passkey_add"> {
  const place = placeOf(session);
  const { db, visitor } = session;
  if (await needsPasskey(db.store.db, db.account)) {
    const allowed = await isSigned(place, ADDS, signature);
    if (!allowed.ok) return allowed;
  } else if (visitor.role !== "owner") return refused("An owner registers the first passkey.");
  const saved = await savePasskey(place, { ticket, response });
  return saved.ok ? passkeys(session) : refused(saved.failure);
}

export async function passkeyRemove(
  { id, signature }: Commands["passkey_remove"]["request"],
  session: CommandSession,
): Answer<"passkey_remove"> {
  const place = placeOf(session);
  const allowed = await isSigned(place, removes(id), signature);
  if (!allowed.ok) return allowed;
  const removed = await transact(session.db.store, async (db): Promise<Outcome<undefined, Failure>> => {
    const inside = { ...place, db };
    await lockPasskeys(inside);
    const problem = await removalProblem(inside, id, session.visitor);
    if (problem !== undefined) return refused(problem);
    return (await removePasskey(inside, id))
      ? ok(undefined)
      : errors.fail("not_found", "There is no such passkey.");
  });
  return removed.ok ? passkeys(session) : removed;
}

/** With which passkey the person has signed what they approve; undefined where none is needed. */
export async function signedApproval(
  purpose: "approve" | "next_slot",
  items: readonly { readonly id: number; readonly digest: string }[],
  signature: Signature | undefined,
  session: CommandSession,
): Promise<Outcome<string | undefined, Failure>> {
  if (!(await needsPasskey(session.db.store.db, session.db.account))) return ok(undefined);
  return isSigned(placeOf(session), approves(purpose, items), signature);
}

/** Approves several items, one after the other, with one signature for all of them. */
export async function approveMany(
  { items, signature }: Commands["approve_many"]["request"],
  session: CommandSession,
): Answer<"approve_many"> {
  const passkey = await signedApproval("approve", items, signature, session);
  if (!passkey.ok) return passkey;
  const results: Commands["approve_many"]["answer"]["results"][number][] = [];
  for (const { id, digest } of items) {
    if (session.signal.aborted) break;
    const released = await approvalsOf(session).approve({ id, digest }, passkey.value);
    const waits = released.ok && waitsForOthers(released.value) ? peopleLine(released.value) : undefined;
    results.push({ id, message: released.ok ? (waits ?? null) : released.failure.message });
  }
  return ok({ results });
}

async function isSigned(
  place: PasskeyPlace,
  subject: Subject,
  signature: Signature | undefined,
): Promise<Outcome<string, Failure>> {
  if (signature === undefined) return notSigned();
  const checked = await checkSignature(place, subject, signature);
  return checked.ok ? checked : notSigned(checked.failure);
}

function approves(
  purpose: "approve" | "next_slot",
  items: readonly { readonly id: number; readonly digest: string }[],
): Subject {
  return { purpose, of: items.map(({ id, digest }) => [id, digest]) };
}

function removes(id: string): Subject {
  return { purpose: "remove", of: id };
}

const ADDS: Subject = { purpose: "register", of: "another" };

function placeOf({ db, approvals, visitor }: CommandSession): PasskeyPlace {
  const { person, origin, now } = visitor;
  return { db: db.store.db, account: db.account, key: approvals.key, person, origin, now };
}

function refused(why: string): Outcome<never, Failure> {
  return errors.fail("validation_error", why, { fixBy: "human" });
}

function json(options: object): { readonly [name: string]: Json } {
  return JSON.parse(JSON.stringify(options));
}
