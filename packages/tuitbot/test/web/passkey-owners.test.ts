import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SignedIn } from "../../src/web/api.ts";
import { testApp } from "../command-line.ts";
import { queuedItem } from "../live-server.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { Browser, type Served, serve } from "./served.ts";
import { SoftwarePasskey } from "./software-passkey.ts";

const WORDS = "four words nobody joins";

const desk = testApp();
let sandbox: Sandbox;
let served: Served;
let owner: Browser;
let ann: Browser;
let ben: Browser;
let vic: Browser;
const devices = { owner: new SoftwarePasskey(), ann: new SoftwarePasskey(), ben: new SoftwarePasskey() };

async function signedIn(env: NodeJS.ProcessEnv, name: string, role = "approver"): Promise<Browser> {
  const prompts = { secret: async () => WORDS };
  await desk.run(["people", "add", name, "--role", role], {
    env,
    typed: () => "",
    // The command asks for secrets alone.
    machine: { prompts: async () => prompts as never },
  });
  const browser = new Browser(served.url);
  const answered = await browser.post<SignedIn>("/api/sign-in", { name, passphrase: WORDS });
  expect(answered).toMatchObject({ status: 200, body: { role } });
  browser.csrf = answered.body.csrf_token;
  return browser;
}

beforeAll(async () => {
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  const env = await signedInEnv(desk.home, sandbox);
  served = await serve(desk.home, { words: ["mcp", "serve", "--http", "localhost:0"], env });
  owner = new Browser(served.url);
  expect(await owner.signIn(served.link)).toMatchObject({ status: 200, body: { role: "owner" } });
  ann = await signedIn(env, "Ann");
  ben = await signedIn(env, "Ben");
  vic = await signedIn(env, "Vic", "viewer");
  expect(await devices.owner.register(owner)).toMatchObject({ status: 200 });
  expect(await devices.ann.register(ann, devices.owner)).toMatchObject({ status: 200 });
  expect(await devices.ben.register(ben, devices.owner)).toMatchObject({ status: 200 });
});

afterAll(async () => {
  await served?.stop();
  await sandbox.close();
  await desk[Symbol.asyncDispose]();
});

const idsOf = async () => {
  const { passkeys } = (await owner.command("passkeys")).body;
  return passkeys.map(({ id }) => id).toSorted();
};
const ids = (...passkeys: readonly SoftwarePasskey[]) => passkeys.map(({ id }) => id).toSorted();

/** Removes a passkey with the signature of another, if the server asks for one. */
async function remove(browser: Browser, { id }: SoftwarePasskey, device: SoftwarePasskey) {
  const made = await browser.command("passkey_challenge", { purpose: "remove", id });
  if (made.status !== 200) return made;
  const signature = device.answer(browser, made.body.ticket, made.body.options);
  return browser.command("passkey_remove", { id, signature });
}

describe("a passkey", () => {
  /** Who may remove whose passkey, by whose signature; everything else is refused. */
  const ALLOWED: ReadonlySet<string> = new Set([
    "owner removes owner's, signed by owner's",
    "owner removes ann's, signed by owner's",
    "owner removes ben's, signed by owner's",
    "ann removes ann's, signed by ann's",
    "ben removes ben's, signed by ben's",
  ]);
  const keys = ["owner", "ann", "ben"] as const;

  test("is removed by its own person and by owners, of every role, passkey and signature", async () => {
    const people = { owner, ann, ben, vic };
    const everybody = ids(...Object.values(devices));
    let tried = 0;
    for (const [actor, browser] of Object.entries(people))
      for (const target of keys)
        for (const signer of keys) {
          const what = `${actor} removes ${target}'s, signed by ${signer}'s`;
          const { status } = await remove(browser, devices[target], devices[signer]);
          tried += 1;
          if (!ALLOWED.has(what)) {
            expect([403, 409], what).toContain(status);
            expect(await idsOf(), what).toEqual(everybody);
            continue;
          }
          expect(status, what).toBe(200);
          expect(await idsOf(), what).toEqual(everybody.filter((id) => id !== devices[target].id));
          const voucher = devices[target === "ben" ? "ann" : "ben"];
          expect(await devices[target].register(people[target], voucher), what).toMatchObject({
            status: 200,
          });
        }
    expect(tried).toBe(36);
  });

  test("of somebody else is not removed by an approver, with whatever passkey they sign", async () => {
    for (const device of Object.values(devices)) {
      expect(await remove(ann, devices.owner, device)).toMatchObject({ status: 409 });
      expect(await remove(ann, devices.ben, device)).toMatchObject({ status: 409 });
    }
    // A signature over the removal of an own passkey does not remove another.
    const { id } = devices.ann;
    const signature = await devices.ann.sign(ann, { purpose: "remove", id });
    for (const other of [devices.owner, devices.ben])
      expect(await ann.command("passkey_remove", { id: other.id, signature })).toMatchObject({ status: 409 });
    expect(await idsOf()).toEqual(ids(...Object.values(devices)));
  });

  test("is removed by its user or by an owner, each with their own passkey", async () => {
    expect(await remove(owner, devices.ben, devices.ann)).toMatchObject({ status: 409 });
    expect(await remove(owner, devices.ben, devices.owner)).toMatchObject({ status: 200 });
    expect(await remove(ann, devices.ann, devices.owner)).toMatchObject({ status: 409 });
    expect(await remove(ann, devices.ann, devices.ann)).toMatchObject({ status: 200 });
    expect(await idsOf()).toEqual(ids(devices.owner));
  });

  test("that is the last of the account is removed by an owner alone, so approvals keep needing one", async () => {
    const device = new SoftwarePasskey();
    expect(await device.register(ann, devices.owner)).toMatchObject({ status: 200 });
    expect(await remove(owner, devices.owner, devices.owner)).toMatchObject({ status: 200 });
    expect(await remove(ann, device, device)).toMatchObject({ status: 409 });
    expect(await idsOf()).toEqual(ids(device));
    const id = queuedItem(await served.call("x_post_tweet", { text: "Needs a finger." }));
    const [item] = (await ann.command("pending")).body.items.filter((one) => one.id === id);
    const { digest = "" } = item ?? {};
    expect(await ann.command("approve", { id: id ?? 0, digest })).toMatchObject({
      status: 409,
      body: { error: { failure: { reason: "needs_passkey" } } },
    });
    // An owner without a passkey cannot remove it in a browser either.
    expect(await remove(owner, device, device)).toMatchObject({ status: 409 });
    expect(await devices.owner.register(owner, device)).toMatchObject({ status: 200 });
    expect(await remove(owner, device, devices.owner)).toMatchObject({ status: 200 });
    expect(await remove(owner, devices.owner, devices.owner)).toMatchObject({
      status: 200,
      body: { passkeys: [], required: false },
    });
  });

  test("stays where two approvers remove the last two at the same instant", async () => {
    expect(await devices.owner.register(owner)).toMatchObject({ status: 200 });
    expect(await devices.ann.register(ann, devices.owner)).toMatchObject({ status: 200 });
    expect(await devices.ben.register(ben, devices.owner)).toMatchObject({ status: 200 });
    expect(await remove(owner, devices.owner, devices.owner)).toMatchObject({ status: 200 });
    await Promise.all([remove(ann, devices.ann, devices.ann), remove(ben, devices.ben, devices.ben)]);
    expect(await idsOf()).toHaveLength(1);
  });
});
