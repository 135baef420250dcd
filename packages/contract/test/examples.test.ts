import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";

test("the dice server of the README rolls dice for a real client", async () => {
  const example = new URL("../examples/dice.ts", import.meta.url).pathname;
  const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: ["--conditions=toolpact-source", example] }),
  );
  const rolled = await client.callTool({ name: "roll_dice", arguments: { dice: 3 } });
  expect(rolled.structuredContent).toMatchObject({
    success: true,
    data: { rolls: [expect.any(Number), expect.any(Number), expect.any(Number)] },
  });
  const refused = await client.callTool({ name: "roll_dice", arguments: { dice: 21 } });
  expect(refused.structuredContent).toMatchObject({
    success: false,
    error: {
      code: "bad_input",
      message: "roll_dice: `dice`: Too big: expected number to be <=20.",
      retryable: false,
    },
  });
  await client.close();
});
