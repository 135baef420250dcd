import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { smtpStandIn } from "../../../contract/test/notify/smtp.ts";
import { authorization, newClient, redeem, refresh } from "../../../contract/test/oauth/oauth-client.ts";
import { post } from "../../../contract/test/raw-http.ts";
import { testApp } from "../command-line.ts";
import { cleanEnv } from "../live-server.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { ownerBrowser } from "./owner-browser.ts";
import { newHome, type Served, serve } from "./served.ts";

/** Clients end when the owner who connected them loses that role, at a server that is not restarted. */

const WORDS = "four words nobody joins";
const PUBLIC_URL = "https://bot.example";
const { home, remove } = newHome();
let sandbox: Sandbox;
let mail: Awaited<ReturnType<typeof smtpStandIn>>;
let env: NodeJS.ProcessEnv;
let served: Served;
let origin: string;

/** Writes the role of Mia, who signs in with links that are sent to her; null removes her. */
function configure(role: "owner" | "approver" | null): void {
  const mia = `[[notify.people]]\nname = "Mia"\nrole = "${role}"\nemail = "mia@mail.example"\n`;
  writeFileSync(join(home, "config.toml"), role === null ? "" : mia);
}

const people = (...words: readonly string[]) =>
  testApp().run(["people", ...words], {
    env: cleanEnv(home, env),
    typed: () => "",
    // The command asks for secrets alone.
    machine: { prompts: async () => ({ secret: async () => WORDS }) as never },
  });

beforeAll(async () => {
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  mail = await smtpStandIn("bot", "mail-secret");
  configure("owner");
  env = {
    ...(await signedInEnv(home, sandbox)),
    TUITBOT_CONFIG: join(home, "config.toml"),
    TUITBOT_SERVER__PUBLIC_URL: PUBLIC_URL,
    TUITBOT_NOTIFY__SMTP_URL: mail.url,
    TUITBOT_NOTIFY__EMAIL_FROM: "tuitbot <bot@mail.example>",
  };
  served = await serve(home, { words: ["mcp", "serve", "--http", "0"], env });
  origin = new URL(served.url).origin;
}, 60_000);

afterAll(async () => {
  await served?.stop();
  await Promise.all([sandbox.close(), mail.close()]);
  remove();
});

/** Connects a client at the browser of an owner. */
async function connected(browser: Awaited<ReturnType<typeof ownerBrowser>>, client_name: string) {
  const client = await newClient(origin, { client_name });
  const { url, verifier } = authorization(client, { resource: `${PUBLIC_URL}/mcp` });
  const limits = { accounts: ["default"], calls_per_day: 50, usd_per_day: 0.5 };
  const back = await browser.allow(await browser.open(url), { ...limits, profile: "readonly", agent: null });
  const { body } = await redeem(client, { code: back.searchParams.get("code") ?? "", verifier });
  const headers = { authorization: `Bearer ${body.access_token}` };
  return {
    status: async () => (await post(`${origin}/mcp`, { headers })).status,
    refresh: async () => (await refresh(client, body.refresh_token)).status,
  };
}

test("the clients of an owner end when `people add --role` gives them another role", async () => {
  await people("add", "Ann", "--role", "owner");
  const client = await connected(
    await ownerBrowser(served, { name: "Ann", passphrase: WORDS }),
    "Notebook of Ann",
  );
  expect(await client.status()).toBe(200);
  const demoted = await people("add", "Ann", "--role", "viewer", "--output", "json");
  expect(JSON.parse(demoted.out)).toMatchObject({ ended_clients: ["notebook-of-ann"] });
  await expect.poll(client.status, { timeout: 20_000 }).toBe(401);
  expect(await client.refresh()).toBe(400);
});

test("the clients of somebody in the configuration are refused while they are no owner there", async () => {
  await served.call("x_post_tweet", { text: "A message with a link is sent for this." });
  const sent = () => mail.mails.findLast(({ to }) => to.includes("mia@mail.example"))?.text ?? "";
  await vi.waitFor(() => expect(sent()).toContain("#signin="), { timeout: 20_000 });
  const link = /#signin=([\w.-]+)/.exec(sent())?.[1] ?? "";
  const client = await connected(await ownerBrowser(served, { link }), "Notebook of Mia");
  const machine = await ownerBrowser(served);
  const isListed = async () =>
    (await machine.command("agents")).agents.find(({ client }) => client?.person === "Mia")?.is_active;
  const state = async () => [await client.status(), await isListed()];
  expect(await state()).toEqual([200, true]);
  for (const role of ["approver", null] as const) {
    configure(role);
    await expect.poll(state, { timeout: 20_000 }).toEqual([401, false]);
    configure("owner");
    await expect.poll(state, { timeout: 20_000 }).toEqual([200, true]);
  }
}, 120_000);
