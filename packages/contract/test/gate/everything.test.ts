import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../../../scripts/free-port.ts";
import { scriptedPerson } from "../../src/testing/index.ts";
import { lab, legs, patience, published, twoLegs } from "./lab.ts";

const POLICY = `
wait_seconds = 0
[tools]
echo = "read_only"
get-structured-content = "read_only"
trigger-long-running-operation = "read_only"
trigger-elicitation-request = "allow"
trigger-sampling-request = "allow"
toggle-subscriber-updates = "allow"
`;

test.each(legs)(
  "over $transport, $era: everything of a server passes: tools, resources, prompts, completion, questions",
  async (leg) => {
    const { connect } = await lab(POLICY);
    const person = scriptedPerson([{ form: { name: "Ana", check: true } }]);
    const { client, call } = await connect(leg, { server: published("server-everything"), person });
    expect(await call("echo", { message: "hi" })).toMatchObject({ text: "Echo: hi" });
    const structured = await client.callTool({
      name: "get-structured-content",
      arguments: { location: "Chicago" },
    });
    expect(structured.structuredContent).toMatchObject({ conditions: expect.any(String) });
    // Its hint is read-only, and the policy does not name it.
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "get-sum")?.annotations?.readOnlyHint).toBe(true);
    expect(await call("get-sum", { a: 1, b: 2 })).toMatchObject({ gate: { code: "waiting_for_person" } });

    const { resources } = await client.listResources();
    const [resource] = resources;
    const read = await client.readResource({ uri: resource?.uri ?? "" });
    expect(read.contents[0]).toMatchObject({ uri: resource?.uri });
    expect((await client.listResourceTemplates()).resourceTemplates.length).toBeGreaterThan(0);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain("simple-prompt");
    expect((await client.getPrompt({ name: "simple-prompt" })).messages).toHaveLength(1);
    await expect(client.getPrompt({ name: "no such prompt" })).rejects.toThrow();

    const progress: number[] = [];
    await client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 0.6, steps: 3 } },
      { onprogress: (made) => progress.push(made.progress) },
    );
    // The last comes with the answer, and the client drops it.
    expect(progress.slice(0, 2)).toEqual([1, 2]);

    expect(await call("trigger-elicitation-request", {})).toMatchObject({
      text: expect.stringContaining("User provided"),
      isError: false,
    });
    expect(person.asked).toHaveLength(1);
    const sampled = await call("trigger-sampling-request", { prompt: "p", maxTokens: 5 });
    expect(sampled.text).toContain("sampled by the client");
  },
);

test.each(["modern", "legacy"] as const)(
  "a %s client that can be asked nothing gets an error that says so",
  async (era) => {
    const { connect } = await lab(POLICY);
    const { call } = await connect({ transport: "stdio", era }, { server: published("server-everything") });
    const answer = await call("trigger-elicitation-request", {}).catch((error: Error) => ({
      text: error.message,
    }));
    expect(answer.text).toContain("cannot be asked elicitation/create");
  },
);

test("before a server over HTTP, in both eras: calls pass, a canceled call is canceled there, changes are reported", async () => {
  const port = await freePort();
  const [command = "", ...args] = published("server-everything", "streamableHttp");
  const child = spawn(command, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill());
  await said(child, "listening");
  const { connect, storage } = await lab(POLICY);
  const url = `http://127.0.0.1:${port}/mcp`;
  for (const leg of twoLegs) {
    const { client, call } = await connect(leg, { url });
    expect(await call("echo", { message: "hi" })).toMatchObject({ text: "Echo: hi" });
    const cancel = new AbortController();
    const long = client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 60, steps: 600 } },
      { signal: cancel.signal, onprogress: () => cancel.abort() },
    );
    await expect(long).rejects.toThrow();
    await vi.waitFor(
      async () =>
        expect((await storage.records(1))[0]).toMatchObject({ tool: "trigger-long-running-operation" }),
      patience,
    );
    if (leg.era !== "legacy") continue;
    const updated = vi.fn();
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => updated(params.uri));
    const uri = "demo://resource/dynamic/text/1";
    await client.subscribeResource({ uri });
    await call("toggle-subscriber-updates", {});
    await vi.waitFor(() => expect(updated).toHaveBeenCalledWith(uri), patience);
  }
});

async function said({ stderr }: ChildProcess, text: string): Promise<void> {
  if (stderr === null) throw new Error("It has no output.");
  const lines = createInterface({ input: stderr });
  for (;;) {
    const [line] = await once(lines, "line");
    if (line.includes(text)) return;
  }
}
