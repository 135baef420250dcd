import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { runInMemory } from "@toolpact/cli/testing";
import { expect, onTestFinished, test } from "vitest";
import { program } from "../../src/command/program.ts";
import { type GuardStorage, openSqlite, openSqlStorage } from "../../src/guards/index.ts";
import type { JsonObject } from "../../src/json.ts";
import { inboxAt } from "./inbox-stage.ts";
import { lab } from "./lab.ts";

const workspace = join(import.meta.dirname, "../../../..");
const key = Buffer.alloc(32, 9);

/** With its key in a file. */
async function ownServer(folder: string, scope: string) {
  const file = join(folder, "guards.db");
  const storage = await openSqlStorage(await openSqlite(file), { scope, key });
  onTestFinished(() => storage.close());
  const keyFile = join(folder, "approval.key");
  writeFileSync(keyFile, key);
  return { storage, options: ["--storage", file, "--key", keyFile] };
}

async function propose(storage: GuardStorage, tool: string, args: JsonObject, context?: JsonObject) {
  const now = Date.now();
  const item = await storage.propose({
    tool,
    args,
    context,
    reason: "It pays.",
    expiresAt: now + 60_000,
    heldUntil: 0,
    now,
  });
  if (!item.ok) throw new Error(item.failure.kind);
  return item.value;
}

async function inbox(...words: string[]) {
  const main = join(workspace, "packages/toolpact/src/main.ts");
  const child = spawn(
    process.execPath,
    ["--conditions=toolpact-source", main, "inbox", "--output", "json", ...words],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return inboxAt(JSON.parse(line).link);
}

test("one inbox shows what waits at a gate and at an own server, and each decision reaches its storage only", async () => {
  const { folder, policy, storage: gate } = await lab("");
  const { storage: own, options } = await ownServer(folder, "invoices");
  const calls = [
    { storage: gate, name: "gate", ...(await propose(gate, "write_file", { path: "a" })) },
    {
      storage: own,
      name: "invoices",
      ...(await propose(own, "pay_invoice", { id: 7 }, { invoice: { cents: 12_000 } })),
    },
  ];
  // Each source numbers its items.
  expect(calls.map(({ id }) => id)).toEqual([1, 1]);
  const { post, signIn } = await inbox("--policy", policy, ...options);
  const { headers, waiting } = await signIn();
  const shown = (await waiting()).waiting;
  expect(shown).toMatchObject([
    { source: 0, gate: "gate", id: 1, tool: "write_file", can_allow_similar: true },
    { source: 1, gate: "invoices", id: 1, tool: "pay_invoice", can_allow_similar: false },
  ]);
  // The approver sees the state that the approval is for.
  expect(JSON.stringify(shown[1]?.parts)).toContain("12000");

  const [, paid] = calls;
  const decision = { source: 1, id: 1, digest: paid?.digest, approve: true };
  expect((await post("/decide", { ...decision, source: 0 }, headers)).status).toBe(409);
  expect((await post("/decide", { ...decision, source: 2 }, headers)).status).toBe(400);
  expect((await post("/decide", decision, headers)).status).toBe(200);
  expect(await own.item(1)).toMatchObject({ status: "approved", decidedBy: "person via web" });
  expect((await gate.item(1))?.status).toBe("waiting");
  expect(await own.releasable(Date.now())).toMatchObject([{ id: 1 }]);
});

test("a storage is opened only as it is: with its own key, its scope, and the tables of guards", async () => {
  const { folder } = await lab("");
  const { storage, options } = await ownServer(folder, "invoices");
  const run = (...words: string[]) => runInMemory(program, ["inbox", ...words], { server: [] });
  expect((await run("--storage", join(folder, "guards.db"))).err).toContain("--storage needs --key FILE");
  expect((await run(...options)).err).toContain("has no calls yet");
  await propose(storage, "pay_invoice", { id: 7 });
  writeFileSync(join(folder, "approval.key"), Buffer.alloc(32, 1));
  expect((await run(...options)).err).toContain("were not signed with the key");
  writeFileSync(join(folder, "approval.key"), key);
  const other = await openSqlStorage(await openSqlite(join(folder, "guards.db")), { scope: "orders", key });
  await propose(other, "order", {});
  await other.close();
  expect((await run(...options)).err).toContain('Choose a scope with --scope: "invoices", "orders".');
  mkdirSync(join(folder, "empty"));
  const elsewhere = ["--storage", join(folder, "none.db"), "--key", join(folder, "approval.key")];
  expect((await run(...elsewhere)).err).toContain("There is no file");
  (await openSqlite(join(folder, "none.db"))).close();
  expect((await run(...elsewhere)).err).toContain("is no storage of guards");
});
