import type { Failure, JsonObject } from "@toolpact/contract";
import { peopleLine, type SimilarFor } from "@toolpact/contract/internal/guards";
import { type Outcome, ok } from "@toolpact/outcome";
import { needsPasskey, notSigned } from "../approval/needs-passkey.ts";
import { waitsForOthers } from "../approval/vote.ts";
import { errors } from "../errors.ts";
import { transact } from "../storage/transaction.ts";
import { approvalsOf, type PersonSession } from "./approvals.ts";
import { acceptProposal } from "./learned-rules.ts";
import { ruleSentence } from "./rule-words.ts";
import {
  type AllowedClient,
  type ClientChoice,
  type ClientSession,
  decideClient,
  type PermittedAgent,
  permitAgent,
} from "./sign-in/clients.ts";
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
} from "./sign-in/passkeys.ts";

/** The digest is of the content that was shown. */
export interface SeenItem {
  readonly id: number;
  readonly digest: string;
}

/** While there is one, approvals require a signature (`required`). */
export async function passkeys(session: PersonSession) {
  const found = await listPasskeys(placeOf(session));
  return ok({ passkeys: found, required: found.length > 0 });
}

interface ChallengeRequest {
  readonly purpose: Subject["purpose"];
  readonly items?: readonly SeenItem[] | undefined;
  readonly id?: string | undefined;
  readonly client?: AllowedClient | undefined;
  readonly agent?: PermittedAgent | undefined;
}

/** For approving items, connecting a client, changing an agent, adding or removing a passkey, or accepting a rule. */
export async function passkeyChallenge(
  { purpose, items, id, client, agent }: ChallengeRequest,
  session: PersonSession,
) {
  const subjects = { register: ADDS, connect: connects(client), permit: permits(agent) };
  const subject =
    purpose === "register" || purpose === "connect" || purpose === "permit"
      ? subjects[purpose]
      : purpose === "remove" || purpose === "rule"
        ? { purpose, of: id ?? "" }
        : approves(purpose, items ?? []);
  const place = placeOf(session);
  const problem = purpose === "remove" ? await removalProblem(place, id ?? "", session.visitor) : undefined;
  if (problem !== undefined) return refused(problem);
  const made = await challengeFor(place, subject);
  return made.ok ? ok(forBrowser(made.value)) : refused(made.failure);
}

export async function passkeyNew(session: PersonSession) {
  const made = await newPasskey(placeOf(session));
  return made.ok ? ok(forBrowser(made.value)) : refused(made.failure);
}

/** An owner registers the first; each further one requires a signature. */
export async function passkeyAdd(
  { ticket, response, signature }: Signature & Signed,
  session: PersonSession,
) {
  const place = placeOf(session);
  const { db, visitor } = session;
  if (await needsPasskey(db.store.db, db.account)) {
    const allowed = await isSigned(place, ADDS, signature);
    if (!allowed.ok) return allowed;
  } else if (visitor.role !== "owner") return refused("An owner registers the first passkey.");
  const saved = await savePasskey(place, { ticket, response });
  return saved.ok ? passkeys(session) : refused(saved.failure);
}

interface Signed {
  readonly signature?: Signature | undefined;
}

export async function passkeyRemove(
  { id, signature }: { readonly id: string } & Signed,
  session: PersonSession,
) {
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

/** Undefined if the account requires none. */
export async function signedApproval(
  purpose: ItemPurpose,
  items: readonly SeenItem[],
  signature: Signature | undefined,
  session: PersonSession,
): Promise<Outcome<string | undefined, Failure>> {
  if (!(await needsPasskey(session.db.store.db, session.db.account))) return ok(undefined);
  return isSigned(placeOf(session), approves(purpose, items), signature);
}

/** Carries it out, unless it needs more people. */
export async function approveOne({ id, digest, signature }: SeenItem & Signed, session: PersonSession) {
  const passkey = await signedApproval("approve", [{ id, digest }], signature, session);
  if (!passkey.ok) return passkey;
  const released = await approvalsOf(session).approve({ id, digest }, passkey.value);
  if (!released.ok) return released;
  const status = waitsForOthers(released.value) ? "pending" : "approved";
  return ok({ id, status, result: released.value.result ?? null });
}

/** Also accepts the rule for similar calls, for a day or a week. */
export async function approveSimilar(
  { id, digest, signature, period }: SeenItem & Signed & { readonly period: SimilarFor },
  session: PersonSession,
) {
  const passkey = await signedApproval(`similar_${period}`, [{ id, digest }], signature, session);
  if (!passkey.ok) return passkey;
  const released = await approvalsOf(session).approveSimilar({ id, digest }, period, passkey.value);
  if (!released.ok) return released;
  return ok({ id, rule: released.value.rule.id, says: ruleSentence(released.value.rule) });
}

/** As it was shown. */
export async function acceptSigned(
  { id, days, per_day, budget_usd, rehearsal_days, signature }: RuleRequest & Signed,
  session: PersonSession,
) {
  const passkey = (await needsPasskey(session.db.store.db, session.db.account))
    ? await isSigned(placeOf(session), { purpose: "rule", of: id }, signature)
    : ok(undefined);
  if (!passkey.ok) return passkey;
  const chosen = { id, days, perDay: per_day, budgetUsd: budget_usd, rehearsalDays: rehearsal_days };
  const accepted = await acceptProposal(session, chosen, { by: session.by, passkey: passkey.value });
  return accepted.ok ? ok({ id: accepted.value.id, says: ruleSentence(accepted.value) }) : accepted;
}

/** With the permissions that were shown. */
export async function decideSigned(
  choice: ClientChoice & Signed,
  session: PersonSession,
  clients: ClientSession,
) {
  if (choice.approve && (await needsPasskey(session.db.store.db, session.db.account))) {
    const { approve: _, signature, ...client } = choice;
    const allowed = await isSigned(placeOf(session), connects(client), signature);
    if (!allowed.ok) return allowed;
  }
  return decideClient(clients, choice);
}

export async function permitSigned(
  { signature, ...agent }: PermittedAgent & Signed,
  session: PersonSession,
  clients: ClientSession,
) {
  if (await needsPasskey(session.db.store.db, session.db.account)) {
    const allowed = await isSigned(placeOf(session), permits(agent), signature);
    if (!allowed.ok) return allowed;
  }
  return permitAgent(clients, agent);
}

interface RuleRequest {
  readonly id: string;
  readonly days?: number | undefined;
  readonly per_day?: number | undefined;
  readonly budget_usd?: number | undefined;
  readonly rehearsal_days?: number | undefined;
}

/** One signature covers all. `message` is why one was not carried out. */
export async function approveMany(
  { items, signature }: { readonly items: readonly SeenItem[] } & Signed,
  session: PersonSession,
) {
  const passkey = await signedApproval("approve", items, signature, session);
  if (!passkey.ok) return passkey;
  const results: { readonly id: number; readonly message: string | null }[] = [];
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

type ItemPurpose = Extract<Subject["purpose"], "approve" | "next_slot" | `similar_${string}`>;

function approves(purpose: ItemPurpose, items: readonly SeenItem[]): Subject {
  return { purpose, of: items.map(({ id, digest }) => [id, digest]) };
}

function connects(client: AllowedClient | undefined): Subject {
  return {
    purpose: "connect",
    of: client === undefined ? null : { ...client, accounts: [...client.accounts] },
  };
}

function permits(agent: PermittedAgent | undefined): Subject {
  return { purpose: "permit", of: agent === undefined ? null : { ...agent } };
}

function removes(id: string): Subject {
  return { purpose: "remove", of: id };
}

const ADDS: Subject = { purpose: "register", of: "another" };

function placeOf({ db, approvals, visitor }: PersonSession): PasskeyPlace {
  const { person, origin, now } = visitor;
  return { db: db.store.db, account: db.account, key: approvals.key, person, origin, now };
}

function refused(why: string): Outcome<never, Failure> {
  return errors.fail("validation_error", why, { fixBy: "human" });
}

/** For `navigator.credentials`, with a ticket that returns with the signature. */
function forBrowser({ ticket, options }: { readonly ticket: string; readonly options: object }) {
  const json: JsonObject = JSON.parse(JSON.stringify(options));
  return { ticket, options: json };
}
