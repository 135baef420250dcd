import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, ProtocolError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { callTool, lab } from "./lab.ts";

const POLICY = `
[tools]
"*" = "allow"
`;

test("a gate has no tasks: a call is answered when it is done, and what needs tasks gets an error that says so", async () => {
  const { folder, serve, storage } = await lab(POLICY);
  const file = join(folder, "calls.txt");
  const server = [process.execPath, join(import.meta.dirname, "tasks-server.ts"), file];
  const { url } = await serve({ server, gateArgs: ["--no-token"] });
  const client = new Client(
    { name: "tester", version: "1" },
    {
      versionNegotiation: { mode: "auto" },
      capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  expect(client.getServerCapabilities()?.extensions).toBeUndefined();

  expect(await callTool(client, "if_it_can", {})).toMatchObject({
    isError: false,
    text: "done without a task",
  });
  const asked = client.request({ method: "tasks/get", params: { taskId: "t1" } }, z.looseObject({}));
  await expect(asked).rejects.toMatchObject({
    code: -32_601,
    message: expect.stringContaining("A gate has no tasks"),
  });
  const refused = await callTool(client, "only", {}).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ProtocolError);
  expect(refused).toMatchObject({ code: -32_021, message: expect.stringContaining("A gate has no tasks") });
  // It may be running, and its result will not arrive.
  expect(await callTool(client, "always", {})).toMatchObject({ gate: { code: "in_doubt" } });
  expect(await callTool(client, "always", {})).toMatchObject({ gate: { code: "in_doubt" } });
  expect(readFileSync(file, "utf8")).toBe("if_it_can\nalways\n");
  expect(await storage.inDoubt(Date.now())).toMatchObject([
    { tool: "always", note: expect.stringContaining("task") },
  ]);
});
