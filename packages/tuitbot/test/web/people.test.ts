import { scryptSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { type RequestOptions, request } from "node:https";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkPassphrase, savePerson } from "../../src/app/sign-in/people.ts";
import { catalogFor } from "../../src/server/catalog.ts";
import { spendAnswer } from "../../src/storage/spent-answers.ts";
import type { Refused, Role, SignedIn } from "../../src/web/api.ts";
import { webCommands } from "../../src/web/commands.ts";
import { testApp } from "../command-line.ts";
import { queuedItem } from "../live-server.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { selfSigned } from "./self-signed.ts";
import { Browser, type Served, serve } from "./served.ts";

const PUBLIC = "https://bot.example";
const WORDS = "four words nobody joins";

const desk = testApp();
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
let served: Served;

/** Runs `tuitbot people`, and types these passphrases. */
async function people(words: readonly string[], ...typed: readonly string[]) {
  const answers = [...typed];
  const prompts = { secret: async () => answers.shift() ?? "" };
  return desk.run(["people", ...words], {
    env,
    typed: () => "",
    // The command asks for secrets alone.
    machine: { prompts: async () => prompts as never },
  });
}

/** A browser elsewhere: the proxy forwards for it. */
class FarBrowser extends Browser {
  readonly from: string;

  constructor(url: string, from: string) {
    super(url);
    this.from = from;
  }

  override request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("origin", PUBLIC);
    headers.set("x-forwarded-for", `203.0.113.99, ${this.from}`);
    return super.request(path, { ...init, headers });
  }

  async signInAs(name: string, passphrase: string) {
    const answered = await this.post<SignedIn & Refused>("/api/sign-in", { name, passphrase });
    if (answered.status === 200) this.csrf = answered.body.csrf_token;
    return answered;
  }
}

async function signedIn(name: string): Promise<Browser> {
  const browser = new FarBrowser(served.url, "198.51.100.1");
  expect(await browser.signInAs(name, WORDS)).toMatchObject({ status: 200, body: { person: name } });
  return browser;
}

beforeAll(async () => {
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  env = await signedInEnv(desk.home, sandbox);
  for (const role of ["viewer", "approver", "owner"] satisfies Role[])
    expect(await people(["add", `the ${role}`, "--role", role], WORDS, WORDS)).toMatchObject({ code: 0 });
  served = await serve(desk.home, {
    words: ["mcp", "serve", "--profile", "admin", "--http", "0"],
    env: { ...env, TUITBOT_SERVER__PUBLIC_URL: PUBLIC },
  });
});

afterAll(async () => {
  await served.stop();
  await sandbox.close();
  await desk[Symbol.asyncDispose]();
});

const database = () => new DatabaseSync(join(desk.home, "store", "tuitbot.db"), { timeout: 5_000 });

describe("a passphrase", () => {
  test("is asked for twice, long enough, and stored as scrypt with its parameters", async () => {
    for (const typed of [
      ["short", "short"],
      [WORDS, `${WORDS}.`],
    ])
      expect(await people(["add", "Ann"], ...typed)).toMatchObject({ code: 1 });
    expect(await people(["add", "Ann", "--role", "approver"], WORDS, WORDS)).toMatchObject({ code: 0 });
    expect(JSON.parse((await people(["list", "--output", "json"])).out)).toMatchObject({
      people: [{ name: "Ann", role: "approver" }, { name: "the approver" }, { name: "the owner" }, {}],
    });
    const row = database().prepare("select passphrase from web_people where name = 'Ann'").get();
    const [kind, N, r, p, salt = "", key] = String(row?.passphrase).split("$");
    expect({ kind, N, r, p }).toEqual({ kind: "scrypt", N: "32768", r: "8", p: "3" });
    const cost = { N: 32_768, r: 8, p: 3, maxmem: 2 ** 27 };
    expect(scryptSync(WORDS, Buffer.from(salt, "base64url"), 32, cost).toString("base64url")).toBe(key);
    expect(readFileSync(join(desk.home, "store", "tuitbot.db")).includes(WORDS)).toBe(false);
  });

  test("signs in from elsewhere with a secure cookie, where the link of the server does not", async () => {
    const far = new FarBrowser(served.url, "198.51.100.2");
    expect(await far.session()).toMatchObject({ signed_in: false, sign_in: ["passphrase"] });
    expect(await far.signIn(served.link)).toMatchObject({ status: 401 });
    expect(await far.signInAs("Ann", WORDS)).toMatchObject({
      status: 200,
      body: { person: "Ann", role: "approver" },
    });
    expect(far.setCookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/api; Max-Age=\d+; Secure$/);
    const near = new Browser(served.url);
    expect(await near.session()).toMatchObject({ sign_in: ["passphrase", "link"] });
    expect(await near.signIn(served.link)).toMatchObject({ status: 200, body: { role: "owner" } });
    expect(near.setCookie).not.toContain("Secure");
  });

  test("that is replaced or taken away ends the sessions that it began", async () => {
    const far = new FarBrowser(served.url, "198.51.100.3");
    await far.signInAs("Ann", WORDS);
    expect(await people(["add", "Ann"], `${WORDS}!`, `${WORDS}!`)).toMatchObject({ code: 0 });
    expect(await far.command("status")).toMatchObject({ status: 401 });
    expect(await far.signInAs("Ann", WORDS)).toMatchObject({ status: 401 });
    expect(await far.signInAs("Ann", `${WORDS}!`)).toMatchObject({ status: 200, body: { role: "viewer" } });
    expect(await people(["remove", "Ann"])).toMatchObject({ code: 0 });
    expect(await far.command("status")).toMatchObject({ status: 401 });
    expect(await far.signInAs("Ann", `${WORDS}!`)).toMatchObject({ status: 401 });
    expect(await people(["remove", "Ann"])).toMatchObject({ code: 1 });
  });

  test("can be tried five times a minute from one address, also many at once, and from another still", async () => {
    const guess = (far: FarBrowser) => far.signInAs("the owner", "a wrong passphrase");
    const thief = new FarBrowser(served.url, "198.51.100.66");
    const tries = await Promise.all(Array.from({ length: 9 }, () => guess(thief)));
    const wrong = tries.filter(({ status }) => status === 401).length;
    expect(wrong).toBeLessThanOrEqual(5);
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(9 - wrong);
    for (let more = wrong; more < 5; more++) expect(await guess(thief)).toMatchObject({ status: 401 });
    // The right one is not looked at either.
    expect(await thief.signInAs("the owner", WORDS)).toMatchObject({
      status: 429,
      body: { error: { code: "too_many_tries", fix: "Wait a minute." } },
    });
    await signedIn("the owner");
  });

  test("of a person who has signed in before is checked despite guesses from the same address and from others", async () => {
    const address = "198.51.100.77";
    const owner = new FarBrowser(served.url, address);
    expect(await owner.signInAs("the owner", WORDS)).toMatchObject({ status: 200 });
    const [session = "", device = ""] = owner.setCookie.match(/tuitbot-[^;]+/g) ?? [];
    expect(owner.setCookie.match(/HttpOnly; SameSite=Strict; Path=\/api; Max-Age=\d+; Secure/g)).toHaveLength(
      2,
    );
    for (const name of ["the owner", "the viewer"])
      for (let index = 0; index < 6; index++)
        await new FarBrowser(served.url, address).signInAs(name, "a wrong passphrase");
    const guesses = Array.from({ length: 20 }, (_, index) =>
      new FarBrowser(served.url, `203.0.113.${index}`).signInAs("the owner", "a wrong passphrase"),
    );
    for (const guessed of await Promise.all(guesses)) expect(guessed.status).toBe(401);
    // Signed in: it can stop everything.
    expect(await owner.command("stop", {})).toMatchObject({ status: 200 });
    expect(await owner.command("resume")).toMatchObject({ status: 200 });
    const again = new FarBrowser(served.url, address);
    expect(await again.signInAs("the owner", WORDS)).toMatchObject({ status: 429 });
    // The cookie of the browser alone signs nobody in, and gives no tries for somebody else.
    again.cookie = device;
    expect(await again.command("status")).toMatchObject({ status: 401 });
    expect(await again.signInAs("the viewer", WORDS)).toMatchObject({ status: 429 });
    again.cookie = device;
    expect(await again.signInAs("the owner", WORDS)).toMatchObject({ status: 200 });
    // From another address everybody signs in.
    await signedIn("the owner");
    // It has no more tries than others either.
    again.cookie = device;
    for (let index = 0; index < 5; index++) {
      expect(await again.signInAs("the owner", "a wrong passphrase")).toMatchObject({ status: 401 });
      again.cookie = device;
    }
    expect(await again.signInAs("the owner", WORDS)).toMatchObject({ status: 429 });
    expect(session).not.toBe("");
  }, 60_000);
});

describe("roles", () => {
  /** Who is signed in and who works, and what a look at the health of X costs. */
  const BOOKKEEPING = [
    ...["web_sessions", "leases", "telemetry", "sign_ins", "loops"],
    ...["ledger", "usage_days", "caller_days", "spend", "billed_resources"],
  ];

  /** Everything that a person could change. */
  const state = () => {
    const store = database();
    const tables = store
      .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite%'")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !BOOKKEEPING.includes(name));
    const rows = tables.map((name) => [name, store.prepare(`select * from ${name}`).all()]);
    store.close();
    const asked = sandbox.journal.entries.filter(({ operation }) => operation !== "getUsersMe");
    return { rows: Object.fromEntries(rows), requests: asked.length };
  };

  test("a viewer changes nothing and asks X for nothing but its health, whatever tool or command they try", async () => {
    const id = queuedItem(await served.call("x_post_tweet", { text: "Waits for somebody." }));
    const viewer = await signedIn("the viewer");
    const [item] = (await viewer.command("pending")).body.items;
    expect(item?.id).toBe(id);
    const before = state();
    const refused: string[] = [];
    const args = {
      id,
      digest: item?.digest,
      reason: "No",
      is_out: true,
      args: { text: "Other" },
      text: "Hi",
    };
    const { tools } = catalogFor("admin");
    for (const { name } of tools)
      for (const given of [{}, args]) {
        const answer = await viewer.tool(name, given);
        if (answer.status === 403) refused.push(name);
      }
    for (const name of Object.keys(webCommands))
      for (const given of [{}, { id, digest: item?.digest }, { id: String(id) }]) {
        const answer = await viewer.post<Refused>(`/api/commands/${name}`, given);
        if (answer.status === 403) refused.push(name);
      }
    expect(state()).toEqual(before);
    const changing = tools.filter(({ effects }) => !effects.includes("none")).map(({ name }) => name);
    expect(changing.length).toBeGreaterThan(50);
    expect(changing.filter((name) => !refused.includes(name))).toEqual([]);
    for (const name of ["x_get_me", "approve", "reject", "edit", "next_slot", "settle", "stop", "undo"])
      expect(refused).toContain(name);
  }, 60_000);

  test("an approver decides about items and does nothing else, and is named for it", async () => {
    const approver = await signedIn("the approver");
    const [item] = (await approver.command("pending")).body.items;
    const { id = 0, digest = "" } = item ?? {};
    for (const [tool, args] of [
      ["create_draft", { texts: ["Mine."] }],
      ["x_post_tweet", { text: "Mine." }],
      ["x_get_me", {}],
    ] as const)
      expect(await approver.tool(tool, args), tool).toMatchObject({ status: 403 });
    expect(await approver.post("/api/commands/resume", {})).toMatchObject({ status: 403 });
    expect(await approver.post("/api/commands/undo", { id: "x" })).toMatchObject({ status: 403 });
    expect(await approver.command("approve", { id, digest })).toMatchObject({ status: 200 });
    const decided = database().prepare("select decided_by from approvals where id = ?").get(id);
    expect(decided).toEqual({ decided_by: 'person via web, "the approver"' });
  });

  test("an owner does everything", async () => {
    const owner = await signedIn("the owner");
    expect(await owner.tool("create_draft", { texts: ["Mine."] })).toMatchObject({ body: { success: true } });
    expect(await owner.command("stop", {})).toMatchObject({ status: 200 });
    expect(await owner.command("resume")).toMatchObject({ status: 200, body: { resumed: true } });
  });
});

describe("tuitbot people passkeys", () => {
  const passkeysWith = (words: readonly string[], typed?: string) =>
    desk.run(["people", "passkeys", ...words], { env, ...(typed !== undefined && { typed: () => typed }) });

  test("lists them, and removes one only for a person at a terminal who agrees", async () => {
    expect((await passkeysWith([])).out).toContain("There is no passkey, so approvals need none.");
    const store = database();
    const { account } = store.prepare("select account from web_people limit 1").get() ?? {};
    const add = store.prepare(
      "insert into web_passkeys (account, id, person, site, public_key, uses, transports_json, created_at) values (?, ?, ?, ?, ?, 0, '[]', ?)",
    );
    for (const id of ["lost", "kept"])
      add.run(String(account), id, "the owner", "bot.example", "00", Date.UTC(2026, 0, 2));
    store.close();
    const listed = await passkeysWith([]);
    expect(listed.out).toMatch(/the owner +bot\.example +2026-01-02T00:00:00\.000Z +lost/);
    expect(JSON.parse((await passkeysWith(["--output", "json"])).out)).toMatchObject({
      passkeys: [{ id: expect.any(String), person: "the owner", site: "bot.example" }, {}],
    });
    const ids = async () => {
      const { passkeys } = JSON.parse((await passkeysWith(["--output", "json"])).out) as {
        readonly passkeys: readonly { readonly id: string }[];
      };
      return passkeys.map(({ id }) => id).toSorted();
    };
    // Nobody at the terminal, somebody who says no, and an id that is not there.
    expect(await passkeysWith(["--remove", "lost"])).toMatchObject({ code: 1 });
    expect(await passkeysWith(["--remove", "lost"], "n")).toMatchObject({ code: 1 });
    expect((await passkeysWith(["--remove", "other"], "y")).err).toContain("There is no such passkey.");
    expect(await ids()).toEqual(["kept", "lost"]);
    expect(await passkeysWith(["--remove", "lost"], "y")).toMatchObject({ code: 0 });
    expect(await ids()).toEqual(["kept"]);
    // While there is one, the terminal approves nothing.
    const id = queuedItem(await served.call("x_post_tweet", { text: "Needs a signature." }));
    expect((await desk.run(["approve", "--id", String(id), "--yes"], { env })).code).not.toBe(0);
    expect(await passkeysWith(["--remove", "kept"], "y")).toMatchObject({ code: 0 });
    expect(await desk.run(["approve", "--id", String(id), "--yes"], { env })).toMatchObject({ code: 0 });
  });
});

test("tuitbot people remove takes the last passkey with its person only if somebody at a terminal agrees", async () => {
  const store = database();
  const { account } = store.prepare("select account from web_people limit 1").get() ?? {};
  store
    .prepare(
      "insert into web_passkeys (account, id, person, site, public_key, uses, transports_json, created_at) values (?, 'only', 'Zoe', 'bot.example', '00', 0, '[]', 0)",
    )
    .run(String(account));
  store.close();
  const left = async () => JSON.parse((await people(["passkeys", "--output", "json"])).out).passkeys.length;
  const remove = (how: Parameters<typeof desk.run>[1]) => desk.run(["people", "remove", "Zoe"], how);
  expect(await remove({ env })).toMatchObject({ code: 1 });
  expect(await remove({ env, typed: () => "n" })).toMatchObject({ code: 1 });
  expect(await left()).toBe(1);
  // Zoe has no passphrase: a link in a message signed her in.
  expect(await remove({ env, typed: () => "y" })).toMatchObject({ code: 0 });
  expect(await left()).toBe(0);
});

describe("beyond this machine", () => {
  test("the page is not served without TLS or a declared proxy, and the start says so", async () => {
    const refused = await desk.run(["web", "--host", "0.0.0.0"], { env });
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain("server.public_url");
    const wrong = { ...env, TUITBOT_SERVER__TLS_CERT: "cert.pem", TUITBOT_SERVER__TLS_KEY: "key.pem" };
    expect((await desk.run(["web"], { env: wrong })).err).toContain("server.public_url");
    const missing = await desk.run(["web"], { env: { ...wrong, TUITBOT_SERVER__PUBLIC_URL: PUBLIC } });
    expect(missing).toMatchObject({ code: 1 });
    expect(missing.err).toContain("server.tls_cert");
    const plain = { ...env, TUITBOT_SERVER__PUBLIC_URL: "http://bot.example" };
    expect((await desk.run(["web"], { env: plain })).err).toContain("https");
  });

  test("with TLS, the page answers to its public name and to its own origin alone", async () => {
    const { cert, key } = selfSigned("bot.example");
    for (const [name, text] of Object.entries({ cert, key })) writeFileSync(join(desk.home, name), text);
    const secure = await serve(desk.home, {
      words: ["web", "--no-open"],
      env: {
        ...env,
        TUITBOT_SERVER__PUBLIC_URL: PUBLIC,
        TUITBOT_SERVER__TLS_CERT: join(desk.home, "cert"),
        TUITBOT_SERVER__TLS_KEY: join(desk.home, "key"),
      },
    });
    try {
      expect(secure.printed).toContain(`Open ${PUBLIC}/ `);
      expect(secure.printed).not.toContain("signin");
      const { port } = new URL(/listens at (\S+)/.exec(secure.printed)?.[1] ?? "");
      const ask = (path: string, headers: Record<string, string>, body?: object) =>
        new Promise<{ status: number; cookie: string }>((resolve, reject) => {
          const options: RequestOptions = {
            ...{ host: "127.0.0.1", port, path, ca: cert, servername: "bot.example" },
            method: body === undefined ? "GET" : "POST",
            headers: { host: "bot.example", "content-type": "application/json", ...headers },
          };
          request(options, (answer) => {
            answer.resume();
            resolve({
              status: answer.statusCode ?? 0,
              cookie: String(answer.headers["set-cookie"]),
            });
          })
            .once("error", reject)
            .end(body && JSON.stringify(body));
        });
      const self = { name: "the viewer", passphrase: WORDS };
      expect(await ask("/api/sign-in", { origin: PUBLIC }, self)).toMatchObject({
        status: 200,
        cookie: expect.stringMatching(/HttpOnly; SameSite=Strict; .*; Secure$/),
      });
      expect(await ask("/", { host: "evil.example" })).toMatchObject({ status: 403 });
      expect(await ask("/api/sign-in", { origin: "https://evil.example" }, self)).toMatchObject({
        status: 403,
      });
      expect(await ask("/api/session", { "sec-fetch-site": "cross-site" })).toMatchObject({ status: 403 });
      await expect(fetch(`http://127.0.0.1:${port}/api/session`)).rejects.toThrow();
    } finally {
      await secure.stop();
    }
  });
});

onBothEngines("wrong passphrases", ({ place, open }) => {
  test("and spent answers are known to every server of the database, until they expire", async () => {
    const where = await place();
    const servers = [await open(where), await open(where), await open(where)];
    const spend = (id: string, now: number) =>
      Promise.all(servers.map(({ db }) => spendAnswer(db, id, { now, expiresAt: 100 })));
    expect((await spend("one", 1)).filter((isFirst) => isFirst)).toHaveLength(1);
    expect(await spend("one", 99)).toEqual([false, false, false]);
    expect((await spend("other", 100)).filter((isFirst) => isFirst).length).toBeGreaterThan(0);
    const rows = await servers[0]?.db.selectFrom("spent_answers").select("id").execute();
    expect(rows).not.toContainEqual({ id: "one" });
  });

  test("are counted in the database across servers until a minute has passed", async () => {
    const where = await place();
    const [one, other] = [await open(where), await open(where)];
    const at = (db: typeof one.db, now: number) => ({ db, account: "1", now });
    await savePerson(at(one.db, 0), { person: "Ann", role: "owner" }, WORDS);
    const guess = (db: typeof one.db, now: number, address = "198.51.100.7", passphrase = "a wrong one") =>
      checkPassphrase(at(db, now), { name: "Ann", passphrase }, { address, device: undefined });
    // A right one is no try.
    expect(await guess(one.db, 1, undefined, WORDS)).toMatchObject({ ok: true });
    const network = ["2001:db8::1", "2001:DB8:0:0:ffff::2", "2001:db8::3", "2001:db8::4", "2001:db8:0::5"];
    for (const address of network)
      expect(await guess(one.db, 1_000, address)).toEqual({ ok: false, failure: "wrong" });
    expect(await guess(other.db, 60_999, "2001:db8::6")).toEqual({ ok: false, failure: "too_many_tries" });
    expect(await guess(other.db, 60_999, "2001:db8:1::6")).toEqual({ ok: false, failure: "wrong" });
    expect(await guess(other.db, 61_000, "2001:db8::6", WORDS)).toMatchObject({ ok: true });
    // However many were wrong elsewhere, another address still has its tries.
    const tries = (count: number, address: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => ({
        ...{ id: `${address(index)} ${index}`, account: "1", at: 200_000 },
        ...{ address: address(index), person: String(index) },
      }));
    await one.db
      .insertInto("web_tries")
      .values(tries(200, (index) => `198.51.100.${index}`))
      .execute();
    expect(await guess(other.db, 200_000, "203.0.113.1")).toEqual({ ok: false, failure: "wrong" });
    // One address has 20 tries for all names together.
    await one.db
      .insertInto("web_tries")
      .values(tries(20, () => "203.0.113.2"))
      .execute();
    expect(await guess(other.db, 200_000, "203.0.113.2")).toEqual({
      ok: false,
      failure: "too_many_tries",
    });
  });
});
