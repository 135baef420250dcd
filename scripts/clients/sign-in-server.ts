import { cast } from "@toolpact/x-sandbox";
import type { Browser as Chromium, Page } from "playwright-core";
import { savePerson } from "../../packages/tuitbot/src/app/sign-in/people.ts";
import { openStore } from "../../packages/tuitbot/src/storage/open-store.ts";
import { startFleet } from "../../packages/tuitbot/test/replicas/fleet.ts";
import { serve } from "../../packages/tuitbot/test/web/served.ts";
import { freePort } from "../free-port.ts";

/** Servers to which clients are added by URL. */
export const SIGN_IN_SERVERS = {
  SQLite: serveOne,
  "PostgreSQL and three replicas": serveReplicas,
} as const satisfies Record<string, (home: string) => Promise<SignInServer>>;

export type SignInServerKind = keyof typeof SIGN_IN_SERVERS;

interface SignInServer {
  readonly url: string;
  /** Opens a page in which the owner can sign in, or has. */
  readonly openPage: (chromium: Chromium) => Promise<Page>;
  readonly stop: () => Promise<void>;
}

/** Signs in at the page if it asks for that. */
export async function signInIfAsked(page: Page): Promise<void> {
  const passphrase = page.getByLabel("Passphrase");
  const connect = page.getByRole("button", { name: "Connect", exact: true });
  await passphrase.or(connect).or(page.locator(".app")).first().waitFor();
  if (!(await passphrase.isVisible())) return;
  await page.getByLabel("Name").fill(OWNER);
  await passphrase.fill(PASSPHRASE);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const OWNER = "Ann";
const PASSPHRASE = "four words nobody joins";

/** A sandbox on this machine, whose owner opens the printed link first. */
async function serveOne(home: string): Promise<SignInServer> {
  const served = await serve(home);
  return {
    url: served.url,
    async openPage(chromium) {
      const page = await chromium.newPage();
      await page.goto(`${served.url}#signin=${served.link}`);
      await page.locator(".app").waitFor();
      return page;
    },
    stop: served.stop,
  };
}

/** Three processes behind a proxy, whose owner signs in with a passphrase when a client opens the browser. */
async function serveReplicas(): Promise<SignInServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const fleet = await startFleet(3, { TUITBOT_SERVER__PUBLIC_URL: url }, undefined, port);
  const store = await openStore({ url: fleet.databaseUrl, path: "" }, { now: Date.now });
  if (!store.ok) throw store.failure;
  const { db } = store.value;
  const people = [...fleet.sandbox.world.people.values()];
  const account = people.find(({ username }) => username === cast.owner)?.id ?? "";
  await savePerson({ db, account, now: Date.now() }, { person: OWNER, role: "owner" }, PASSPHRASE);
  await store.value.close();
  return { url, openPage: (chromium) => chromium.newPage(), stop: fleet.stop };
}
