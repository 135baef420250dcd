import { parseJson } from "@toolpact/contract/internal";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Config } from "../../config/schema.ts";
import { hashPassphrase, isPassphrase } from "./passphrase.ts";
import { isRole, mayAct, type Role } from "./roles.ts";
import { voidSentLinks } from "./sent-link.ts";
import type { NewVisitor, SessionPlace, Visitor } from "./sessions.ts";
import { beginTry, type TrySource } from "./tries.ts";

export interface Person {
  readonly name: string;
  readonly role: Role;
  readonly since: number;
}

/** Or changes role and passphrase, which ends their sessions. */
export async function savePerson(
  { db, account, now }: SessionPlace,
  { person, role }: Visitor,
  passphrase: string,
): Promise<void> {
  const row = { role, passphrase: await hashPassphrase(passphrase), created_at: now };
  await db
    .insertInto("web_people")
    .values({ account, name: person, ...row })
    .onConflict((conflict) => conflict.columns(["account", "name"]).doUpdateSet(row))
    .execute();
  await endSessions({ db, account, now }, person);
}

/** False if there was nothing to remove. Somebody in `notify.people` stays removed until added again. */
export async function removePerson(
  { db, account, now }: SessionPlace,
  name: string,
  isConfigured: boolean,
): Promise<boolean> {
  const people = await db
    .deleteFrom("web_people")
    .where("account", "=", account)
    .where("name", "=", name)
    .returning("name")
    .execute();
  const sessions = await endSessions({ db, account, now }, name);
  const passkeys = await db
    .deleteFrom("web_passkeys")
    .where("account", "=", account)
    .where("person", "=", name)
    .returning("id")
    .execute();
  if (isConfigured)
    await db
      .insertInto("web_people")
      .values({ account, name, role: REMOVED, passphrase: "", created_at: now })
      .execute();
  return people.length + sessions + passkeys.length > 0;
}

/** Not a valid role, so they cannot sign in. */
const REMOVED = "removed";

/** Undefined if they are not in `notify.people`, or were removed. */
export async function configuredPerson(
  { db, account }: PersonPlace,
  people: () => Promise<Config["notify"]["people"]>,
  name: string,
): Promise<Config["notify"]["people"][number] | undefined> {
  const removed = await db
    .selectFrom("web_people")
    .select("name")
    .where("account", "=", account)
    .where("name", "=", name)
    .where("role", "=", REMOVED)
    .executeTakeFirst();
  return removed === undefined ? (await people()).find((person) => person.name === name) : undefined;
}

export async function passphraseRole({ db, account }: PersonPlace, name: string): Promise<Role | undefined> {
  const row = await db
    .selectFrom("web_people")
    .select("role")
    .where("account", "=", account)
    .where("name", "=", name)
    .executeTakeFirst();
  return row !== undefined && isRole(row.role) ? row.role : undefined;
}

/** A user of the server's machine, such as `user "ana"`, always may. */
export async function mayStillDecide(
  place: PersonPlace,
  people: () => Promise<Config["notify"]["people"]>,
  by: string,
): Promise<boolean> {
  const [, quoted = ""] = /^person via [a-z]+, ("(?:[^"\\]|\\.)*")/.exec(by) ?? [];
  const name = parseJson(quoted);
  if (typeof name !== "string") return true;
  const role = (await passphraseRole(place, name)) ?? (await configuredPerson(place, people, name))?.role;
  return role !== undefined && mayAct(role, "approver");
}

export async function listPeople({ db, account }: PersonPlace): Promise<readonly Person[]> {
  const rows = await db
    .selectFrom("web_people")
    .select(["name", "role", "created_at"])
    .where("account", "=", account)
    .orderBy("name")
    .execute();
  return rows.flatMap(({ name, role, created_at }) =>
    isRole(role) ? [{ name, role, since: created_at }] : [],
  );
}

type PersonPlace = Omit<SessionPlace, "now">;

/** Ends those of one user or all, and voids sent links. Returns the number of sessions. */
export async function endSessions({ db, account, now }: SessionPlace, person?: string): Promise<number> {
  await voidSentLinks({ db, account, now }, person);
  const ended = await db
    .deleteFrom("web_sessions")
    .where("account", "=", account)
    .$if(person !== undefined, (query) => query.where("person", "=", person ?? ""))
    .returning("id")
    .execute();
  return ended.length;
}

export async function checkPassphrase(
  place: SessionPlace,
  { name, passphrase }: { readonly name: string; readonly passphrase: string },
  source: TrySource,
): Promise<Outcome<NewVisitor, "wrong" | "too_many_tries">> {
  const attempt = await beginTry(place, name, source);
  if (attempt === undefined) return failed("too_many_tries");
  const row = await place.db
    .selectFrom("web_people")
    .select(["role", "passphrase"])
    .where("account", "=", place.account)
    .where("name", "=", name)
    .executeTakeFirst();
  const isRight = await isPassphrase(passphrase, row?.passphrase || undefined);
  if (row === undefined || !isRight || !isRole(row.role)) return failed("wrong");
  await place.db
    .deleteFrom("web_tries")
    .where("account", "=", place.account)
    .where("id", "=", attempt)
    .execute();
  return ok({ person: name, role: row.role, method: "passphrase" });
}
