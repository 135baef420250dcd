import { ok } from "@toolpact/outcome";
import { type Clock, Secret, systemClock, TokenKeeper } from "@toolpact/x-api";
import { Sandbox } from "@toolpact/x-sandbox";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { signInStorage } from "../../src/storage/sign-in-storage.ts";
import type { Store } from "../../src/storage/store.ts";
import { testApp } from "../command-line.ts";
import { madeUpX } from "../made-up-x.ts";
import { onBothEngines, type Stores } from "../postgres/both-engines.ts";

const KEY = new Uint8Array(32).fill(3);
const TWO_HOURS = 7_200_000;

/** Two machines with a database and an X in common, and everything that X has issued. */
async function twoMachines(stores: Stores) {
  const place = await stores.place();
  const sandbox = new Sandbox({ seed: 11, size: { people: 5, posts: 5 } });
  const issued: string[] = [];
  let renewals = 0;
  const x: typeof fetch = async (input, init) => {
    const isRenewal = String(input).endsWith("/2/oauth2/token");
    if (isRenewal) renewals++;
    const answer = await sandbox.fetch(input, init);
    if (isRenewal && answer.ok) {
      // The form of an answer of OAuth.
      const { access_token, refresh_token } = (await answer.clone().json()) as Record<string, string>;
      if (access_token === undefined || refresh_token === undefined) throw new Error("No tokens.");
      issued.push(access_token, refresh_token);
    }
    return answer;
  };
  const clock: Clock = { now: () => sandbox.clock.now(), after: systemClock.after };
  const machine = (store: Store, { fetch = x, key = KEY, time = clock } = {}) =>
    new TokenKeeper({
      app: { clientId: sandbox.app.clientId, redirectUri: "http://127.0.0.1:8080/callback" },
      loginCommand: "tuitbot auth login",
      fetch,
      clock: time,
      storage: signInStorage({
        open: async () => ok(store),
        name: "default",
        secret: async () => key,
        clock: time,
        lifeMs: 400,
      }),
    });
  const [one, other] = [await stores.open(place), await stores.open(place)];
  const { accessToken, refreshToken = "", expiresInSeconds } = sandbox.signIn();
  issued.push(accessToken, refreshToken);
  const signedIn = await machine(one).signIn({
    accessToken: new Secret(accessToken),
    refreshToken: new Secret(refreshToken),
    expiresAt: sandbox.clock.now() + expiresInSeconds * 1_000,
    scopes: [],
  });
  expect(signedIn.ok).toBe(true);
  const accepts = async (token: Awaited<ReturnType<TokenKeeper["userToken"]>>) => {
    if (!token.ok) return token.failure;
    const authorization = `Bearer ${token.value}`;
    return (await sandbox.fetch("https://api.x.com/2/users/me", { headers: { authorization } })).status;
  };
  return {
    sandbox,
    x,
    clock,
    machine,
    stores: [one, other] as const,
    issued,
    accepts,
    renewals: () => renewals,
  };
}

/** All rows of all tables. */
async function everything({ db, engine }: Store): Promise<string> {
  const tables =
    engine === "sqlite"
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`;
  const rows: unknown[] = [];
  for (const { name } of (await tables.execute(db)).rows)
    rows.push(...(await sql`select * from ${sql.table(name)}`.execute(db)).rows);
  return JSON.stringify(rows);
}

onBothEngines("a sign-in in the database", (stores) => {
  test("is refreshed by one of two machines, on expiry and on rejection, and valid for both", async () => {
    const { sandbox, machine, stores: open, issued, accepts, renewals } = await twoMachines(stores);
    const machines = [machine(open[0]), machine(open[1])];
    const all = () =>
      Promise.all([...machines, ...machines].map((keeper) => keeper.userToken().then(accepts)));
    expect(await all()).toEqual([200, 200, 200, 200]);
    expect(renewals()).toBe(0);
    for (let round = 1; round <= 3; round++) {
      sandbox.clock.advance(TWO_HOURS);
      expect(await all()).toEqual([200, 200, 200, 200]);
      expect(renewals()).toBe(round);
    }
    // A machine that has not looked yet is refused by X, and finds the token of the other.
    const old = await machines[1]?.userToken();
    sandbox.clock.advance(TWO_HOURS);
    await machines[0]?.userToken();
    if (!old?.ok) throw new Error("The token was good.");
    expect(await machines[1]?.rejected(old.value, "user").then(accepts)).toBe(200);
    expect(renewals()).toBe(4);
    // Nothing in the whole database can be used to sign in.
    const dump = JSON.stringify(await sql`select * from stored_sign_ins`.execute(open[0].db));
    expect(issued.length).toBe(10);
    for (const token of issued) expect(dump).not.toContain(token);
    for (const token of issued)
      expect(dump).not.toContain(Buffer.from(token).toString("base64url").slice(2, -4));
  });

  test("survives a machine that dies during a refresh, and reports what was lost if X had answered", async () => {
    for (const hasAsked of [false, true]) {
      const { sandbox, x, machine, stores: open, accepts } = await twoMachines(stores);
      sandbox.clock.advance(TWO_HOURS);
      const asked = Promise.withResolvers<void>();
      const dying = machine(open[0], {
        fetch: async (...request) => {
          if (hasAsked) await x(...request);
          asked.resolve();
          return new Promise(() => {});
        },
        // The timers of a dead process do not fire.
        time: { now: () => sandbox.clock.now(), after: () => () => {} },
      });
      void dying.userToken();
      await asked.promise;
      const living = await machine(open[1]).userToken().then(accepts);
      if (hasAsked)
        expect(living).toMatchObject({
          kind: "auth_expired",
          message: expect.stringMatching(/lost.*renewed.*tuitbot auth login/),
        });
      else expect(living).toBe(200);
    }
  });

  test("is not replaced by a machine that resumes too late", async () => {
    const { sandbox, x, machine, stores: open, accepts } = await twoMachines(stores);
    sandbox.clock.advance(TWO_HOURS);
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const suspended = machine(open[0], {
      fetch: async (...request) => {
        asked.resolve();
        await goOn.promise;
        return x(...request);
      },
      time: { now: () => sandbox.clock.now(), after: () => () => {} },
    });
    const late = suspended.userToken();
    await asked.promise;
    const other = machine(open[1]);
    expect(await other.userToken().then(accepts)).toBe(200);
    goOn.resolve();
    expect(await late.then(accepts)).toBe(200);
    expect(await other.userToken().then(accepts)).toBe(200);
  });

  test("cannot be decrypted with another key, and signing out affects all machines", async () => {
    const { sandbox, machine, stores: open } = await twoMachines(stores);
    const wrong = await machine(open[1], { key: new Uint8Array(32).fill(4) }).grant();
    expect(wrong).toMatchObject({
      ok: false,
      failure: { kind: "token_storage", message: expect.stringContaining("TUITBOT_APPROVALS__KEY") },
    });
    const [one, other] = [machine(open[0]), machine(open[1])];
    expect((await other.userToken()).ok).toBe(true);
    expect(await one.signOut()).toEqual({ ok: true, value: { revoked: true } });
    sandbox.clock.advance(30_000);
    expect(await other.userToken()).toEqual({ ok: false, failure: "none" });
  });

  test("is created on one machine and used on another by the CLI", async () => {
    await using first = testApp();
    await using second = testApp();
    await using x = await madeUpX();
    const place = await stores.place();
    const { url, path } = place;
    const issued: string[] = [];
    const spying: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      const text = await answer.clone().text();
      for (const [, token] of text.matchAll(/_token":\s*"([^"]+)"/g)) issued.push(String(token));
      return answer;
    };
    const how = {
      machine: { ...x.how.machine, fetch: spying },
      env: {
        ...x.env,
        TUITBOT_AUTH__KEEP_IN: "database",
        TUITBOT_APPROVALS__KEY: Buffer.from(KEY).toString("hex"),
        ...(url === undefined ? { TUITBOT_STORAGE__DB_PATH: path } : { TUITBOT_STORAGE__URL: url }),
      },
    };
    expect((await second.run(["auth", "status"], how)).err).toContain("Nobody is signed in");
    expect((await first.run(["auth", "login"], how)).out).toContain("Signed in as @sandbox_owner");
    expect((await second.run(["auth", "status"], how)).out).toContain("Signed in as @sandbox_owner");
    expect((await second.run(["doctor"], how)).out).toContain("In the database, encrypted; renews itself.");
    const who = await second.run(["call", "x_get_me"], how);
    expect(who.out, who.err).toContain("sandbox_owner");
    const dump = await everything(await stores.open(place));
    expect(dump).toContain("sandbox_owner");
    expect(issued).toHaveLength(2);
    for (const token of issued) expect(dump).not.toContain(token);
    expect((await second.run(["auth", "logout"], how)).out).toBe("Signed out, here and on X.\n");
    expect((await first.run(["auth", "status"], how)).err).toContain("Nobody is signed in");
  });
});
