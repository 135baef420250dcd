import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { cast } from "@toolpact/x-sandbox";
import { describe, expect, test } from "vitest";
import { testApp } from "./command-line.ts";
import { serveLive } from "./live-server.ts";
import { type MadeUpX, madeUpX, sentBackTo, signIn } from "./made-up-x.ts";
import { modelServer } from "./model-server.ts";

describe("auth", () => {
  test("login by the browser keeps the tokens where only the person can read them", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    const ran = await desk.run(["auth", "login"], x.how);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out).toContain("Signed in as @sandbox_owner");
    expect(ran.out).toContain("The sign-in renews itself.");
    const file = join(desk.home, ".tuitbot/tokens.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { access_token, refresh_token } = JSON.parse(readFileSync(file, "utf8"));
    expect(ran.out + ran.err).not.toContain(access_token);
    expect(ran.out + ran.err).not.toContain(refresh_token);
  });

  test("login asks for what the profile needs, and no more", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    const granted = async (words: readonly string[]) => {
      await signIn(desk, x, words);
      return (await desk.run(["auth", "status", "--output", "json"], x.how)).json()
        .scopes as readonly string[];
    };
    const readonly = await granted(["--profile", "readonly"]);
    expect(readonly).toEqual(["offline.access", "tweet.read", "users.read"]);
    const write = await granted([]);
    for (const scope of [
      "tweet.write",
      "like.write",
      "follows.write",
      "dm.write",
      "media.write",
      "list.write",
      "mute.write",
    ])
      expect(write).toContain(scope);
  });

  test("login by hand takes the address X sent the person to, and no other", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    let page = "";
    const showing = (line: string) => {
      page = /https?:\S+/.exec(line)?.[0] ?? page;
    };
    const machine = { ...x.how.machine };
    const typed = () => sentBackTo(x.sandbox, page);
    const ran = await desk.run(["auth", "login", "--manual"], { env: x.env, machine, typed, onErr: showing });
    expect(ran.out).toContain("Signed in as @sandbox_owner");
    const wrong = await desk.run(["auth", "login", "--manual"], {
      env: x.env,
      machine,
      typed: () => "http://127.0.0.1/callback?state=other&code=abc",
    });
    expect(wrong).toMatchObject({ code: 1, out: "" });
    expect(wrong.err).toContain("another sign-in");
    const nobody = await desk.run(["auth", "login", "--manual"], { env: x.env });
    expect(nobody.err).toContain("Nobody is here to paste the address.");
  });

  test("is of one account of the configuration, and while nobody is signed in to it, nothing of another is shown", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    const config = join(desk.home, "c.toml");
    writeFileSync(config, '[accounts.bakery.business]\nproduct_name = "Bread"\n');
    const run = (...words: string[]) => desk.run(["-c", config, ...words], x.how);
    expect((await run("auth", "login")).out).toContain("Signed in as @sandbox_owner");
    const draft = await run("call", "create_draft", "--json", '{"texts":["Only of the default one"]}');
    expect(draft.out, draft.err).toContain("Only of the default one");
    expect((await run("auth", "status", "--account", "bakery")).err).toContain("Nobody is signed in");
    const drafts = await run("call", "list_drafts", "--account", "bakery");
    expect(drafts.code).not.toBe(0);
    expect(drafts.out + drafts.err).toContain("X has not said yet whose data this is.");
    expect(drafts.out + drafts.err).not.toContain("Only of the default one");
    expect((await run("auth", "login", "--account", "bakery")).out).toContain("Signed in as");
    expect(existsSync(join(desk.home, ".tuitbot/accounts/bakery/tokens.json"))).toBe(true);
    expect((await run("config", "show", "--account", "bakery")).out).toContain('product_name = "Bread"');
    expect((await run("auth", "status", "--account", "bakry")).err).toContain("Did you mean bakery?");
  });

  test("login without an app says how to get one", async () => {
    await using desk = testApp();
    const ran = await desk.run(["auth", "login"]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("http://127.0.0.1:8080/callback");
    expect(ran.err).toContain("TUITBOT_X_API__CLIENT_ID");
  });

  test("logout forgets the sign-in, here and on X", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    await signIn(desk, x);
    const { access_token } = JSON.parse(readFileSync(join(desk.home, ".tuitbot/tokens.json"), "utf8"));
    expect((await desk.run(["auth", "logout"], x.how)).out).toBe("Signed out, here and on X.\n");
    expect(existsSync(join(desk.home, ".tuitbot/tokens.json"))).toBe(false);
    const answer = await fetch(`${x.env.TUITBOT_X_API__BASE_URL}/2/users/me`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(answer.status).toBe(401);
    expect(await desk.run(["auth", "status"], x.how)).toMatchObject({
      code: 1,
      err: "tuitbot: Nobody is signed in to X. Run `tuitbot auth login`.\n",
    });
    expect((await desk.run(["auth", "logout"], x.how)).out).toBe("Nobody was signed in.\n");
  });
});

describe("a server with a sign-in", () => {
  test("works, renews its token, and shows a revoked one", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    await signIn(desk, x);
    const file = join(desk.home, ".tuitbot/tokens.json");
    const before = JSON.parse(readFileSync(file, "utf8"));
    const server = await serveLive(["--profile", "write"], {
      ...x.env,
      TUITBOT_AUTH__TOKEN_FILE: file,
      TUITBOT_X_API__PLAN: "enterprise",
      TUITBOT_APPROVAL_MODE: "false",
      TUITBOT_MCP_POLICY__ENFORCE_FOR_MUTATIONS: "false",
    });
    try {
      expect(await server.call("x_get_me")).toMatchObject({
        success: true,
        data: { username: "sandbox_owner" },
      });

      // X ends access tokens after two hours; the server must have another by then.
      x.sandbox.clock.advance(2 * 3_600_000);
      const posted = await server.call("x_post_tweet", { text: "Two hours later." });
      expect(posted).toMatchObject({ success: true, data: { text: "Two hours later." } });
      const after = JSON.parse(readFileSync(file, "utf8"));
      expect(after.access_token).not.toBe(before.access_token);
      expect(after.refresh_token).not.toBe(before.refresh_token);

      x.sandbox.signIn();
      expect(await server.call("x_post_tweet", { text: "After the end." })).toMatchObject({
        success: false,
        error: { code: "x_auth_expired", retryable: false },
      });
      expect(await server.call("health_check")).toMatchObject({
        success: true,
        data: {
          status: "degraded",
          authenticated_user: null,
          x: { status: "expired", fix: "Run `tuitbot auth login`." },
        },
      });
      expect(x.sandbox.journal.of("createPosts").filter(({ status }) => status === 201)).toHaveLength(1);
    } finally {
      await server.close();
    }
  });
});

describe("doctor", () => {
  type Check = { name: string; status: string; message: string; fix?: string };

  async function examine(
    how: Parameters<ReturnType<typeof testApp>["run"]>[1],
    desk: ReturnType<typeof testApp>,
  ) {
    const ran = await desk.run(["doctor", "--output", "json"], how);
    const { checks } = ran.json() as { checks: readonly Check[] };
    const named = (name: string) => checks.find((check) => check.name === name);
    return { ...ran, checks, named };
  }

  test("finds nothing wrong with an account in order", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    await signIn(desk, x);
    const { code, checks, named } = await examine(x.how, desk);
    expect(checks.filter(({ status }) => status === "failed")).toEqual([]);
    expect(code).toBe(0);
    for (const name of [
      "configuration",
      "network",
      "clock",
      "app",
      "sign-in",
      "account",
      "enrolment",
      "permissions",
      "credits",
      "database",
    ])
      expect(named(name), name).toMatchObject({ status: "ok" });
    expect(named("account")?.message).toContain("@sandbox_owner");
    expect(named("credits")?.message).toMatch(/^\$\d+\.\d\d left\.$/);
    const text = await desk.run(["doctor"], x.how);
    expect(text.out).toContain("skipped  language model");
    const page = readFileSync(new URL("../../../docs/troubleshooting.md", import.meta.url), "utf8");
    const explained = [...page.matchAll(/^\| ([\w -]+) \|/gm)].map(([, name]) => name);
    expect(explained, "docs/troubleshooting.md").toEqual(
      expect.arrayContaining(checks.map(({ name }) => name)),
    );
  });

  test("asks the language model, and says what is wrong with it", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    await using model = await modelServer();
    const env = {
      ...x.env,
      TUITBOT_LLM__PROVIDER: "openai",
      TUITBOT_LLM__API_KEY: "hunter2",
      TUITBOT_LLM__BASE_URL: model.url,
    };
    model.says("ok", { status: 401 }, "");
    expect((await examine({ ...x.how, env }, desk)).named("language model")).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/^openai, \S+ answers\.$/),
    });
    const refused = (await examine({ ...x.how, env }, desk)).named("language model");
    expect(refused).toMatchObject({ status: "failed", fix: expect.stringContaining("llm.api_key") });
    expect(JSON.stringify(refused)).not.toContain("hunter2");
    expect((await examine({ ...x.how, env }, desk)).named("language model")).toMatchObject({
      status: "warning",
      message: expect.stringContaining("with nothing"),
    });
  });

  test("says that the folder of the approval key cannot be written, before it is needed", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    writeFileSync(join(desk.home, "file"), "");
    const env = { ...x.env, TUITBOT_APPROVALS__KEY_FILE: join(desk.home, "file", "deep", "approval.key") };
    expect((await examine({ ...x.how, env }, desk)).named("approval key")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("cannot be written"),
      fix: expect.stringContaining("approvals.key_file"),
    });
  });

  test("warns without a cap", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    expect((await examine(x.how, desk)).named("budget")).toMatchObject({ status: "ok" });
    const env = { ...x.env, TUITBOT_BUDGET__UNLIMITED: "true" };
    expect((await examine({ ...x.how, env }, desk)).named("budget")).toMatchObject({ status: "warning" });
  });

  test("says whether a runner lives, and warns where something is scheduled and none does", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    await signIn(desk, x);
    expect((await examine(x.how, desk)).named("runner")).toMatchObject({ status: "skipped" });
    await desk.run(
      ["drafts", "new", "--text", "Later", "--at", new Date(Date.now() + 3_600_000).toISOString()],
      x.how,
    );
    const database = new DatabaseSync(join(desk.home, ".tuitbot/tuitbot.db"));
    database.exec("update drafts set status = 'scheduled'");
    expect((await examine(x.how, desk)).named("runner")).toMatchObject({
      status: "warning",
      message: "1 draft is scheduled and no runner is alive.",
      fix: expect.stringContaining("tuitbot run"),
    });
    database
      .prepare("insert into leases (account, name, holder, until) values ('1', 'runner', 'me', ?)")
      .run(Date.now() + 60_000);
    database.close();
    expect((await examine(x.how, desk)).named("runner")).toMatchObject({ status: "ok" });
  });

  test("names a fix for each problem", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    const out = await examine(x.how, desk);
    expect(out.code).toBe(1);
    expect(out.named("sign-in")).toMatchObject({ status: "failed", fix: "Run `tuitbot auth login`." });

    await signIn(desk, x, ["--profile", "readonly"]);
    const tokens = join(desk.home, ".tuitbot/tokens.json");
    chmodSync(tokens, 0o644);
    const exposed = await examine(x.how, desk);
    expect(exposed.code).toBe(1);
    expect(exposed.named("sign-in")).toMatchObject({
      status: "failed",
      fix: expect.stringContaining(`chmod 600 ${tokens}`),
    });
    chmodSync(tokens, 0o600);
    expect((await examine(x.how, desk)).named("permissions")).toMatchObject({
      status: "warning",
      message: expect.stringContaining("tweet.write"),
      fix: "Run `tuitbot auth login`.",
    });

    x.sandbox.app.enrolled = false;
    expect((await examine(x.how, desk)).named("enrolment")).toMatchObject({
      status: "failed",
      fix: expect.stringContaining("pay-per-use"),
    });
    x.sandbox.app.enrolled = true;

    x.sandbox.ledger.balanceUsd = 0;
    expect((await examine(x.how, desk)).named("credits")).toMatchObject({
      status: "failed",
      fix: "Buy credits in X's developer console.",
    });
    x.sandbox.ledger.balanceUsd = 5;

    const late = { ...x.how, machine: { ...x.how.machine, now: () => Date.now() - 300_000 } };
    expect((await examine(late, desk)).named("clock")).toMatchObject({
      status: "warning",
      message: "This machine's clock is 5 min behind X's.",
    });

    x.sandbox.person("sandbox_owner").accountStatus = "suspended";
    expect((await examine(x.how, desk)).named("account")).toMatchObject({ status: "failed" });
    x.sandbox.person("sandbox_owner").accountStatus = "active";

    x.sandbox.signIn();
    expect((await examine(x.how, desk)).named("account")).toMatchObject({
      status: "failed",
      fix: "Run `tuitbot auth login`.",
    });
  });

  test("says so when X cannot be reached, the database cannot be made, or the configuration is wrong", async () => {
    await using desk = testApp();
    const gone = { env: { TUITBOT_X_API__BASE_URL: "http://127.0.0.1:9" } };
    expect((await examine(gone, desk)).named("network")).toMatchObject({ status: "failed" });
    const folder = { env: { ...gone.env, TUITBOT_STORAGE__DB_PATH: desk.home } };
    expect((await examine(folder, desk)).named("database")).toMatchObject({
      status: "failed",
      fix: "Set storage.db_path to a file.",
    });
    writeFileSync(join(desk.home, "my.toml"), "mode = 1\n");
    const { code, checks } = await examine({ env: { TUITBOT_CONFIG: "my.toml" } }, desk);
    expect(code).toBe(1);
    expect(checks).toEqual([expect.objectContaining({ name: "configuration", status: "failed" })]);
  });
});

describe("what X charged is said", () => {
  const chargedSince = (x: MadeUpX, before: number) =>
    Math.round(x.sandbox.ledger.entries.slice(before).reduce((sum, { usd }) => sum + usd, 0) * 1e6) / 1e6;

  test.each(["auth login", "auth status", "doctor"])("by %s", async (words) => {
    await using desk = testApp();
    await using x = await madeUpX();
    await signIn(desk, x);
    const run = async (more: readonly string[]) => {
      // X charges for a person once a day.
      x.sandbox.clock.advance(86_400_000);
      const before = x.sandbox.ledger.entries.length;
      const ran = await desk.run([...words.split(" "), ...more], x.how);
      expect(chargedSince(x, before)).toBeGreaterThan(0);
      return { ran, charged: chargedSince(x, before) };
    };
    const text = await run([]);
    expect(text.ran.out.trimEnd().split("\n").at(-1)).toBe(`X charged at most $${text.charged}.`);
    const json = await run(["--output", "json"]);
    expect(json.ran.json()).toMatchObject({ spent_usd: json.charged });
    // Nothing is charged again on the same day, which is not known here.
    const again = x.sandbox.ledger.entries.length;
    const repeated = await desk.run([...words.split(" ")], x.how);
    expect(chargedSince(x, again)).toBe(0);
    expect(repeated.out).toContain("X charged at most $");
  });

  test("by a command that failed after it had spent", async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    await signIn(desk, x);
    x.sandbox.say(cast.owner, "An older post");
    await desk.run(["call", "x_post_tweet", "--json", '{"text":"Lost on the way"}'], x.how);
    const before = x.sandbox.ledger.entries.length;
    // The post gets no answer, so the server reads X to resolve it.
    x.sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "before", count: 10 });
    const ran = await desk.run(["approve", "--id", "1", "--yes"], x.how);
    expect(ran.code).toBe(1);
    const charged = chargedSince(x, before);
    expect(charged).toBeGreaterThan(0);
    expect(ran.err).toContain(
      `X charged $${charged}, and $0.015 more if it carried out what it did not answer.`,
    );
  });
});

describe("a clock that is apart from X's", () => {
  test.each([
    { x: 5 * 60_000, says: "5 min behind" },
    { x: -45_000, says: "4\\d s ahead of" },
    { x: -3_600_000, says: "60 min ahead of" },
    { x: 20_000, says: undefined },
  ])("by $x ms is said by doctor and health_check", async ({ x: ms, says }) => {
    await using desk = testApp();
    await using x = await madeUpX();
    await signIn(desk, x);
    x.sandbox.clock.advance(ms);
    const message =
      says === undefined ? {} : { message: expect.stringMatching(new RegExp(`clock is ${says} X's`)) };
    const doctor = await desk.run(["doctor", "--output", "json"], x.how);
    expect(doctor.json().checks).toContainEqual(
      expect.objectContaining({ name: "clock", status: says === undefined ? "ok" : "warning", ...message }),
    );
    const health = await desk.run(["call", "health_check", "--output", "json"], x.how);
    expect(JSON.parse(health.out)).toMatchObject({
      data: {
        status: says === undefined ? "ok" : "degraded",
        clock: { status: says === undefined ? "ok" : "wrong", ...message },
      },
    });
  });
});
