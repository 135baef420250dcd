import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test, vi } from "vitest";

const workspace = join(import.meta.dirname, "../../..");
const patience = { timeout: 20_000 };

const server = (tool: string) => `
import { defineServer, ok } from "@toolpact/contract";
import { serveStdio } from "@toolpact/contract/stdio";
import * as z from "zod";
const server = defineServer({ name: "reloaded", version: "1.0.0" });
const tool = server.tool({
  name: "${tool}",
  title: "Wait",
  description: "Answer with the name of this tool, or never.",
  effect: "none",
  openWorld: false,
  errors: [],
  deadlineMs: Infinity,
  input: z.strictObject({ forever: z.boolean().optional().describe("Whether to wait for ever") }),
  output: z.object({ name: z.string(), asks: z.boolean() }),
  handler: ({ forever }, { ask }) =>
    forever ? new Promise<never>(() => {}) : ok({ name: "${tool}", asks: ask.can("form") }),
});
serveStdio(server.app({ tools: [tool] }), { drainMs: 1 });
`;

async function developing(mode: "auto" | "legacy") {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolpact-dev-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(workspace, "node_modules"), join(folder, "node_modules"));
  const write = (text: string) => writeFileSync(join(folder, "server.ts"), text);
  write(server("first"));
  const changed = vi.fn();
  const client = new Client(
    { name: "developer", version: "1" },
    {
      versionNegotiation: { mode },
      // Legacy servers know this from the handshake alone.
      capabilities: { elicitation: { form: {} } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed() } },
    },
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [
        "--conditions=toolpact-source",
        join(workspace, "packages/toolpact/src/main.ts"),
        "dev",
        join(folder, "server.ts"),
      ],
      stderr: "ignore",
    }),
  );
  onTestFinished(() => client.close());
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  const call = async (name: string) => (await client.callTool({ name, arguments: {} })).structuredContent;
  return { client, write, changed, names, call };
}

test.each(["auto", "legacy"] as const)(
  "a client in %s mode stays connected while the server behind it is started again",
  async (mode) => {
    const { client, write, changed, names, call } = await developing(mode);
    expect(await names()).toEqual(["first"]);
    expect(await call("first")).toMatchObject({ data: { name: "first", asks: true } });

    // A call that runs when its server ends is answered.
    const lost = client.callTool({ name: "first", arguments: { forever: true } });
    const refused = expect(lost).rejects.toThrow("before it had answered");
    write(server("second"));
    await refused;
    await vi.waitFor(() => expect(changed).toHaveBeenCalled(), patience);
    expect(await names()).toEqual(["second"]);
    expect(await call("second")).toMatchObject({ data: { name: "second", asks: true } });

    // A mistake ends the server; the next change fixes it.
    write("this is no program");
    await vi.waitFor(() => expect(call("second")).rejects.toThrow("ended"), patience);
    changed.mockClear();
    write(server("third"));
    await vi.waitFor(() => expect(changed).toHaveBeenCalled(), patience);
    expect(await call("third")).toMatchObject({ data: { name: "third", asks: true } });
  },
);
