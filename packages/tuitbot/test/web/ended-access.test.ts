import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { smtpStandIn } from "../../../contract/test/notify/smtp.ts";
import { testApp } from "../command-line.ts";
import { cleanEnv, queuedItem } from "../live-server.ts";
import { realPostgres as postgres } from "../postgres/real-postgres.ts";
import { newDatabase } from "../postgres/template.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { Browser, newHome, type Served, serve } from "./served.ts";

const server = postgres.ok ? postgres.server : undefined;
const engines = [
  { engine: "sqlite", url: async () => undefined },
  ...(server === undefined ? [] : [{ engine: "postgres", url: () => newDatabase(server.url) }]),
];

afterAll(() => server?.stop());

const person = (name: string, role: string) => ({
  name,
  role,
  email: `${name.toLowerCase()}@mail.example`,
});
const EVERYBODY = [person("Mia", "approver"), person("Noa", "approver"), person("Olga", "approver")];

describe.each(engines)("a session that began with the link of a mail, on $engine", ({ url }) => {
  const { home, remove } = newHome();
  let sandbox: Sandbox;
  let mail: Awaited<ReturnType<typeof smtpStandIn>>;
  let env: NodeJS.ProcessEnv;
  let served: Served;
  let item: { readonly id: number; readonly digest: string };
  const browsers: Record<string, Browser> = {};

  async function start(people: readonly object[]): Promise<void> {
    await served?.stop();
    served = await serve(home, {
      words: ["mcp", "serve", "--http", "0"],
      env: { ...env, TUITBOT_NOTIFY__PEOPLE: JSON.stringify(people) },
    });
  }

  /** The browser as it was, at the address of the server that runs now. */
  function browserOf(name: string): Browser {
    const kept = browsers[name] ?? expect.fail(`${name} has no browser.`);
    const browser = new Browser(served.url);
    [browser.cookie, browser.csrf] = [kept.cookie, kept.csrf];
    return browser;
  }

  const people = (...words: readonly string[]) =>
    testApp().run(["people", ...words], { env: cleanEnv(home, env) });

  beforeAll(async () => {
    sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
    mail = await smtpStandIn("bot", "mail-secret");
    env = {
      ...(await signedInEnv(home, sandbox)),
      TUITBOT_STORAGE__URL: await url(),
      TUITBOT_SERVER__PUBLIC_URL: "https://bot.example",
      TUITBOT_NOTIFY__SMTP_URL: mail.url,
      TUITBOT_NOTIFY__EMAIL_FROM: "tuitbot <bot@mail.example>",
    };
    await start(EVERYBODY);
    const id =
      queuedItem(await served.call("x_post_tweet", { text: "Waits." })) ?? expect.fail("Not queued.");
    for (const { name, email } of EVERYBODY) {
      const { text } = await vi.waitFor(
        () => mail.mails.find(({ to }) => to.includes(email)) ?? expect.fail(`${name} got no mail.`),
        { timeout: 20_000, interval: 20 },
      );
      const browser = new Browser(served.url);
      const [, link = ""] = /#signin=([\w.-]+)/.exec(text) ?? [];
      expect(await browser.signIn(link)).toMatchObject({ body: { person: name, role: "approver" } });
      browsers[name] = browser;
    }
    const { items } = (await browserOf("Mia").command("pending")).body;
    item = items.find((one) => one.id === id) ?? expect.fail("It does not wait.");
  }, 60_000);

  afterAll(async () => {
    await served?.stop();
    await Promise.all([sandbox.close(), mail.close()]);
    remove();
  });

  test("ends for a person who is removed from the configuration, and takes the new role of one who is demoted", async () => {
    await start([person("Noa", "viewer"), person("Olga", "approver")]);
    const { id, digest } = item;
    const [mia, noa] = [browserOf("Mia"), browserOf("Noa")];
    expect(await mia.command("approve", { id, digest })).toMatchObject({ status: 401 });
    expect(await mia.command("pending")).toMatchObject({ status: 401 });
    expect(await mia.session()).toMatchObject({ signed_in: false });
    expect((await mia.request("/api/events")).status).toBe(401);
    expect(await noa.command("approve", { id, digest })).toMatchObject({
      status: 403,
      body: { error: { code: "wrong_role" } },
    });
    expect(await noa.session()).toMatchObject({ signed_in: true, person: "Noa", role: "viewer" });
    const { items } = (await noa.command("pending")).body;
    expect(items.map((one) => one.id)).toContain(id);
  });

  test("is ended by tuitbot people sign-out, for one person or for all", async () => {
    await start(EVERYBODY);
    const owner = new Browser(served.url);
    await owner.signIn(served.link);
    for (const name of ["Mia", "Noa", "Olga"])
      expect(await browserOf(name).command("status"), name).toMatchObject({ status: 200 });
    expect(await people("sign-out", "Noa", "--output", "json")).toMatchObject({ code: 0 });
    expect(await browserOf("Noa").command("status")).toMatchObject({ status: 401 });
    expect(await browserOf("Olga").command("status")).toMatchObject({ status: 200 });
    expect(await people("sign-out", "Noa")).toMatchObject({ code: 1 });
    for (const words of [["sign-out"], ["sign-out", "Noa", "--all"]])
      expect(await people(...words)).toMatchObject({ code: 2 });
    expect(JSON.parse((await people("sign-out", "--all", "--output", "json")).out)).toMatchObject({
      signed_out: 3,
    });
    for (const browser of [browserOf("Mia"), browserOf("Olga"), owner])
      expect(await browser.command("status")).toMatchObject({ status: 401 });
  });
});
