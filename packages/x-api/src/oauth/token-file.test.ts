import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format, inspect } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Grant } from "./token-endpoint.ts";
import { deleteTokenFile, readTokenFile, Secret, writeTokenFile } from "./token-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "x-api-tokens-"));
});
afterEach(() => rm(folder, { recursive: true }));

const grant: Grant = {
  accessToken: new Secret("access-1"),
  refreshToken: new Secret("refresh-1"),
  expiresAt: 1_800_000_000_000,
  scopes: ["offline.access", "tweet.read"],
};

test("a token file returns the stored tokens", async () => {
  const path = join(folder, "tokens.json");
  expect(await readTokenFile(path)).toEqual({ ok: true, value: undefined });
  expect(await writeTokenFile(path, grant)).toEqual({ ok: true, value: undefined });
  const read = await readTokenFile(path);
  expect(read).toMatchObject({ ok: true, value: { expiresAt: grant.expiresAt, scopes: grant.scopes } });
  expect(read.ok && read.value?.accessToken.reveal()).toBe("access-1");
  expect(read.ok && read.value?.refreshToken?.reveal()).toBe("refresh-1");
  await deleteTokenFile(path);
  expect(await readTokenFile(path)).toEqual({ ok: true, value: undefined });
});

test.skipIf(process.platform === "win32")(
  "only its owner can read it, even where it was readable before",
  async () => {
    const path = join(folder, "new", "folders", "tokens.json");
    await writeTokenFile(path, grant);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "new", "folders"))).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, "new"))).mode & 0o777).toBe(0o700);

    const open = join(folder, "open.json");
    await writeFile(open, "{}", { mode: 0o644 });
    await writeTokenFile(open, grant);
    expect((await stat(open)).mode & 0o777).toBe(0o600);
  },
);

test("leaves nothing next to the file, also when it cannot be written", async () => {
  const path = join(folder, "tokens.json");
  await writeTokenFile(path, grant);
  await writeTokenFile(path, { ...grant, accessToken: new Secret("access-2") });
  expect(await readdir(folder)).toEqual(["tokens.json"]);
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ access_token: "access-2" });
  // A folder blocks the rename.
  const blocked = join(folder, "blocked");
  await writeTokenFile(join(blocked, "occupied", "x"), grant);
  const outcome = await writeTokenFile(join(blocked, "occupied"), grant);
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "token_storage" } });
  expect(await readdir(blocked)).toEqual(["occupied"]);
});

test.each([
  "",
  "{",
  "null",
  "[]",
  "{}",
  '{"version":2,"access_token":"a","expires_at":1}',
  '{"version":1,"access_token":5,"expires_at":1}',
])("a token file that is not ours is rejected with a fix: %s", async (content) => {
  const path = join(folder, "tokens.json");
  await writeFile(path, content);
  expect(await readTokenFile(path)).toMatchObject({
    ok: false,
    failure: { kind: "token_storage", message: expect.stringContaining("delete it and sign in again") },
  });
});

test("only reveal() exposes a secret", () => {
  const secret = new Secret("swordfish");
  const shown = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true, depth: 9 }),
    format("%s %o %j", secret, secret, secret),
    Object.entries(secret).join(),
  ].join("\n");
  expect(shown).not.toContain("swordfish");
  expect(shown).toContain("[secret]");
  expect(secret.reveal()).toBe("swordfish");
});
