import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";

test("the dice server of the README rolls dice for a real client", async () => {
  await using example = await serving("dice");
  expect(await example.call("roll_dice", { dice: 3 })).toMatchObject({
    success: true,
    data: { rolls: [expect.any(Number), expect.any(Number), expect.any(Number)] },
  });
  expect(await example.call("roll_dice", { dice: 21 })).toMatchObject({
    success: false,
    error: {
      code: "bad_input",
      message: "roll_dice: `dice`: Too big: expected number to be <=20.",
      retryable: false,
    },
  });
});

test("it takes twenty lines", () => {
  const lines = readFileSync(new URL("../examples/dice.ts", import.meta.url), "utf8").split("\n");
  expect(lines.filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(20);
});

test("the notes server of the README has its own errors and service", async () => {
  await using example = await serving("notes");
  expect(await example.call("add_note", { text: "one" })).toMatchObject({ data: { count: 1 } });
  expect(await example.call("add_note", { text: "one" })).toMatchObject({
    error: { code: "duplicate", reason: "duplicate_request" },
  });
  await example.call("add_note", { text: "two" });
  await example.call("add_note", { text: "three" });
  expect(await example.call("add_note", { text: "four" })).toMatchObject({
    error: { code: "full", retryable: false, suggested_fix: "Start the server again." },
  });
});

test("the invoices server pays once, after the owner has approved the amount in a terminal", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolpact-invoices-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { INVOICES_DIR: folder };
  await using example = await serving("invoices", env);
  const added = await example.call("add_invoices", {
    invoices: [
      { payee: "Flour Mill", cents: 12_000, due: "2026-12-01" },
      { payee: "Oven Repair", cents: 45_000, due: "2026-12-05" },
      { payee: "Rent", cents: 90_000, due: "2026-12-31" },
    ],
  });
  expect(added).toMatchObject({ success: true, data: { ids: [1, 2, 3] } });
  expect(await example.call("list_unpaid", { count: 2 })).toMatchObject({
    data: { invoices: [{ id: 1 }, { id: 2 }] },
    meta: { pagination: { result_count: 2, has_more: true, next_token: "2" } },
  });
  expect(await example.call("list_unpaid", { after: "2" })).toMatchObject({
    data: { invoices: [{ id: 3 }] },
    meta: { pagination: { has_more: false } },
  });

  expect(await example.call("pay_invoice", { id: 1 })).toMatchObject({ error: { reason: "waiting" } });
  const shown = approveInTerminal(env, "y\n");
  for (const part of ["Item 1: pay_invoice", "Flour Mill", "12000"]) expect(shown).toContain(part);
  const paid = await example.call("pay_invoice", { id: 1 });
  expect(paid).toMatchObject({ success: true, data: { id: 1, paid_at: expect.any(String) } });
  expect(await example.call("list_unpaid", {})).toMatchObject({ data: { invoices: [{ id: 2 }, { id: 3 }] } });

  expect(await example.call("pay_invoice", { id: 3 })).toMatchObject({ error: { reason: "budget" } });
  expect(await example.call("pay_invoice", { id: 2 })).toMatchObject({ error: { reason: "budget" } });
});

test("the invoices server does not pay an invoice that has changed since its approval", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolpact-invoices-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { INVOICES_DIR: folder };
  await using example = await serving("invoices", env);
  const invoices = [{ payee: "Flour Mill", cents: 12_000, due: "2026-12-01" }];
  await example.call("add_invoices", { invoices });
  await example.call("pay_invoice", { id: 1 });
  approveInTerminal(env, "y\n");
  using books = new DatabaseSync(join(folder, "books.db"));
  books.exec("update invoices set payee = 'Somebody Else', cents = 40000");
  expect(await example.call("pay_invoice", { id: 1 })).toMatchObject({
    error: { reason: "changed_since_approval" },
  });
  expect(await example.call("list_unpaid", {})).toMatchObject({ data: { invoices: [{ id: 1 }] } });
});

test("the invoices server offers an invoice as a resource, and a prompt", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolpact-invoices-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await using example = await serving("invoices", { INVOICES_DIR: folder });
  const invoices = [{ payee: "Flour Mill", cents: 12_000, due: "2026-12-01" }];
  await example.call("add_invoices", { invoices });
  expect(await example.client.readResource({ uri: "invoice://1" })).toMatchObject({
    contents: [{ text: "Flour Mill: $120.00, due 2026-12-01" }],
  });
  const { messages } = await example.client.getPrompt({ name: "pay_due", arguments: { date: "2026-12-31" } });
  expect(messages).toMatchObject([{ content: { text: expect.stringContaining("2026-12-31") } }]);
});

function approveInTerminal(env: Readonly<Record<string, string>>, input: string): string {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...fromSource, exampleFile("invoices"), "approve"],
    { env: { ...process.env, ...env }, input, encoding: "utf8" },
  );
  expect(status, stderr).toBe(0);
  return stdout;
}

const fromSource = ["--conditions=toolpact-source"];

function exampleFile(name: string): string {
  return new URL(`../examples/${name}.ts`, import.meta.url).pathname;
}

async function serving(name: string, env: Readonly<Record<string, string>> = {}) {
  const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...fromSource, exampleFile(name)], env }),
  );
  return {
    client,
    call: async (tool: string, args: Record<string, unknown>) =>
      (await client.callTool({ name: tool, arguments: args })).structuredContent,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
