import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkAllAccounts } from "./effective-config.ts";
import { loadConfig } from "./load.ts";
import { problemLine } from "./problem.ts";

const home = mkdtempSync(join(tmpdir(), "tuitbot-accounts-"));
afterAll(() => rmSync(home, { recursive: true }));

async function load(toml: string, account?: string, env: NodeJS.ProcessEnv = {}) {
  writeFileSync(join(home, "c.toml"), toml);
  const loaded = await loadConfig({ home, cwd: home, env, argument: "c.toml", account });
  return loaded.ok ? loaded.value : loaded.failure.problems.map(problemLine);
}

const TOML = `
[x_api]
client_id = "app"
[budget]
max_usd_per_day = 3
[business]
brand_voice = "dry"
[ads]
consumer_key = "a"
consumer_secret = "b"
access_token = "c"
access_token_secret = "d"
[accounts.bakery.business]
product_name = "Bread"
[accounts.bakery.budget]
max_usd_per_month = 9
[accounts.cafe]
mode = "composer"
[accounts.cafe.auth]
token_file = "cafe.json"
`;

test("an account has the common settings under its own, and nothing that describes another", async () => {
  const bakery = await load(TOML, "bakery");
  expect(bakery).toMatchObject({
    account: "bakery",
    accounts: ["default", "bakery", "cafe"],
    values: {
      x_api: { client_id: "app" },
      budget: { max_usd_per_day: 3, max_usd_per_month: 9 },
      business: { product_name: "Bread" },
      auth: { token_file: join(home, ".tuitbot/accounts/bakery/tokens.json") },
      media: { roots: [join(home, ".tuitbot/accounts/bakery/media")] },
      ads: {},
    },
  });
  expect(JSON.stringify(bakery)).not.toMatch(/"dry"|consumer_key|cafe\.json/);
  expect(await load(TOML, "cafe")).toMatchObject({
    values: { mode: "composer", auth: { token_file: join(home, "cafe.json") } },
  });
  // Unaffected by the others.
  const [alone] = TOML.split("[accounts.");
  const { values } = (await load(alone ?? "")) as { readonly values: unknown };
  expect(await load(TOML)).toMatchObject({ account: "default", values });
});

test("the environment sets common keys and names the account; its sign-in is stored next to the default account's", async () => {
  const env = {
    TUITBOT_AUTH__TOKEN_FILE: "/run/t.json",
    TUITBOT_X_API__CLIENT_ID: "other",
    TUITBOT_ACCOUNT: "bakery",
  };
  expect(await load(TOML, undefined, env)).toMatchObject({
    account: "bakery",
    values: { x_api: { client_id: "other" }, auth: { token_file: "/run/accounts/bakery/tokens.json" } },
  });
});

test("what is wrong is named with its account", async () => {
  expect(await load(TOML, "bakry")).toEqual(["accounts.bakry is not there. Did you mean bakery?"]);
  expect(await load("", "x")).toEqual(["accounts.x is not there. The accounts are: default."]);
  expect(await load("[accounts.a.budget]\nmax_usd_per_day = -1", "a")).toEqual([
    "accounts.a.budget.max_usd_per_day must be 0 or more.",
  ]);
  expect(
    await load("[accounts.a.storage]\ndb_path = 'b'\n[accounts.a.approvals]\nkey_file = 'k'", "a"),
  ).toEqual([
    "accounts.a.storage is for the whole installation: set it outside of accounts.",
    "accounts.a.approvals.key_file is for the whole installation: set it outside of accounts.",
  ]);
  expect(await load("[accounts.'A b']\n")).toEqual([
    expect.stringContaining("accounts.A b must have a name"),
  ]);
  expect(await load("accounts = 3")).toEqual([expect.stringContaining("accounts must be a table")]);
  await load("[accounts.a.budget]\nmax_usd_per_day = -1\n[accounts.b]\nmod = 'x'");
  expect(await checkAllAccounts({ home, cwd: home, env: {}, argument: "c.toml" })).toMatchObject({
    valid: false,
    errors: [
      "accounts.a.budget.max_usd_per_day must be 0 or more.",
      "accounts.b.mod is not a setting. Did you mean mode?",
    ],
  });
});
