import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";

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

test("the notes server of the README has errors and a service of its own", async () => {
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

const fromSource = ["--conditions=toolpact-source"];

function exampleFile(name: string): string {
  return new URL(`../examples/${name}.ts`, import.meta.url).pathname;
}

async function serving(name: string) {
  const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...fromSource, exampleFile(name)] }),
  );
  return {
    call: async (tool: string, args: Record<string, unknown>) =>
      (await client.callTool({ name: tool, arguments: args })).structuredContent,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
