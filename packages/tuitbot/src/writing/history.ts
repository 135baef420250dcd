import type { Session } from "../storage/session.ts";
import type { Purpose } from "./assignment.ts";

/** What this account's last texts of a kind were put as, newest first. */
export async function recentFrameworks(session: Session, purpose: Purpose): Promise<readonly string[]> {
  return recent(session, purpose, "framework");
}

/** What they were about, newest first. */
export async function recentTopics(session: Session, purpose: Purpose): Promise<readonly string[]> {
  return recent(session, purpose, "topic");
}

const REMEMBERED = 20;

async function recent({ store, account }: Session, purpose: Purpose, column: "framework" | "topic") {
  const rows = await store.db
    .selectFrom("llm_usage")
    .select(column)
    .where("account", "=", account)
    .where("purpose", "=", purpose)
    .orderBy("id", "desc")
    .limit(REMEMBERED)
    .execute();
  const values = rows.flatMap((row) => Object.values(row)).filter((value) => value !== null);
  return [...new Set(values)];
}
