import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { findSession, listSessions, openSession } from "../../src/app/sign-in/sessions.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { approvalKey } from "./server.ts";

onBothEngines("a session row", (stores) => {
  test("that somebody wrote or changed in the database signs nobody in", async () => {
    const { db } = await stores.open();
    const place = { db, account: "1", now: 1_000, key: approvalKey };
    const roleOf = async () => "owner" as const;
    const { secret } = await openSession(place, { person: "Ann", role: "viewer", method: "sent_link" });
    const found = () => findSession(place, secret, roleOf);
    expect(await found()).toMatchObject({ person: "Ann" });
    const made = await db
      .selectFrom("web_sessions")
      .selectAll()
      .where("account", "=", "1")
      .executeTakeFirstOrThrow();

    const forged = createHash("sha256").update("forged").digest("hex");
    await db
      .insertInto("web_sessions")
      .values({ ...made, id: forged })
      .execute();
    expect(await findSession(place, "forged", roleOf)).toBeUndefined();
    expect(await listSessions(place, roleOf, { person: undefined, secret })).toHaveLength(1);

    const changes = [
      { person: "Ben" },
      { role: "owner" },
      { signed_in_by: "printed_link" },
      { created_at: 2 },
      { expires_at: made.expires_at + 1 },
      { seal: "" },
    ];
    // The row is changed as nobody but an intruder would.
    const set = (values: object) =>
      db
        .updateTable("web_sessions")
        .set(values as never)
        .where("account", "=", "1")
        .where("id", "=", made.id)
        .execute();
    for (const change of changes) {
      await set(change);
      expect(await found(), JSON.stringify(change)).toBeUndefined();
      await set(made);
    }
    expect(await findSession({ ...place, key: Buffer.alloc(32) }, secret, roleOf)).toBeUndefined();
    expect(await found()).toMatchObject({ person: "Ann" });
  });
});
