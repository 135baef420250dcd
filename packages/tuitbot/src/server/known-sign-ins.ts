import type { Kysely } from "kysely";
import { overAllAccounts } from "../storage/account-check.ts";
import type { Database } from "../storage/database.ts";
import type { Session } from "../storage/store.ts";
import type { Me } from "../x/x.ts";

/** Remembers whose sign-in this is, as X has just said. */
export async function rememberSignIn(
  db: Kysely<Database>,
  { signIn, configuredAs }: SignIn,
  { id: account, username, name }: Me,
  now: number,
): Promise<void> {
  if (signIn === undefined) return;
  const said = { account, username, name, seen_at: now, configured_as: configuredAs };
  await db
    .insertInto("sign_ins")
    .values({ id: signIn, ...said })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(said))
    .execute();
}

/** A sign-in of an account of the configuration; undefined where nobody is signed in. */
export interface SignIn {
  readonly signIn: string | undefined;
  readonly configuredAs: string;
}

/** The account of a sign-in, or of the last one of this account of the configuration where nobody is signed in. */
export async function rememberedSignIn(
  db: Kysely<Database>,
  { signIn, configuredAs }: SignIn,
): Promise<Pick<Session, "account" | "names"> | undefined> {
  const all = overAllAccounts(db, "sign-in")
    .selectFrom("sign_ins")
    .select(["account", "username", "name"])
    .where("configured_as", "=", configuredAs);
  const found = await (signIn === undefined
    ? all.orderBy("seen_at", "desc").limit(1)
    : all.where("id", "=", signIn)
  ).executeTakeFirst();
  return found && { account: found.account, names: { username: found.username, name: found.name } };
}
