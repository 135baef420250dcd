import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ScriptedPerson, scriptedPerson } from "../src/testing/index.ts";
import { connect, type Leg, legs } from "./legs.ts";
import { stoppedAt } from "./notes-product.ts";

async function clientOn(leg: Leg, person?: ScriptedPerson): Promise<Client> {
  const connection = await connect(leg, person);
  onTestFinished(connection.close);
  return connection.client;
}

describe.each(legs)("over $name", (leg) => {
  test("the handshake tells the era, the name and the instructions", async () => {
    const client = await clientOn(leg);
    expect(client.getProtocolEra()).toBe(leg.era);
    expect(client.getServerVersion()).toMatchObject({ name: "notes", version: "1.0.0" });
    expect(client.getInstructions()).toBe("Keeps notes. add_note, then get_note.");
  });

  test("the list is in order, complete, and cacheable", async () => {
    const client = await clientOn(leg);
    const listed = await client.listTools();
    expect(listed.tools.map((tool) => tool.name)).toEqual([
      "add_note",
      "break_down",
      "count_slowly",
      "delete_note",
      "get_note",
      "list_notes",
    ]);
    for (const { annotations } of listed.tools) expect(Object.keys(annotations ?? {})).toHaveLength(4);
    if (leg.era === "modern") expect(listed).toMatchObject({ ttlMs: 3_600_000, cacheScope: "public" });
  });

  test("an answer says the same as text and as structure, and isError is there exactly when it failed", async () => {
    const client = await clientOn(leg);
    const added = await client.callTool({ name: "add_note", arguments: { text: "hello" } });
    expect(added.structuredContent).toMatchObject({
      success: true,
      data: { id: "1" },
      meta: { elapsed_ms: expect.any(Number) },
    });
    expect(added.isError).toBeFalsy();
    const missing = await client.callTool({ name: "get_note", arguments: { id: "9" } });
    expect(missing.structuredContent).toMatchObject({
      success: false,
      error: { code: "not_found", message: "There is no note 9." },
    });
    expect(missing.isError).toBe(true);
    for (const { content, structuredContent } of [added, missing]) {
      expect(content).toEqual([{ type: "text", text: JSON.stringify(structuredContent) }]);
    }
  });

  test("a repeated creation is refused, and the server keeps serving", async () => {
    const client = await clientOn(leg);
    await client.callTool({ name: "add_note", arguments: { text: "once" } });
    const again = await client.callTool({ name: "add_note", arguments: { text: "once" } });
    expect(again.structuredContent).toMatchObject({
      error: { code: "duplicate", reason: "duplicate_request" },
    });
    const notes = await client.callTool({ name: "list_notes", arguments: {} });
    expect(notes.structuredContent).toMatchObject({ data: { notes: [{ text: "once" }] } });
  });

  test.each([
    ["an unknown argument", { text: "hi", color: "red" }],
    ["a wrong type", { text: 7 }],
    ["a missing argument", {}],
    ["a 5 MB argument", { text: "x".repeat(5_000_000) }],
    ["a nesting bomb", { text: JSON.parse(`${"[".repeat(1_000)}${"]".repeat(1_000)}`) }],
  ])("%s gets an envelope, and the server keeps serving", async (_what, args) => {
    const client = await clientOn(leg);
    const refused = await client.callTool({ name: "add_note", arguments: args });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { success: false, error: { code: "invalid_input" } },
    });
    expect((await client.callTool({ name: "list_notes", arguments: {} })).isError).toBeFalsy();
  });

  test("an unknown tool is a protocol error that names the one that was meant", async () => {
    const client = await clientOn(leg);
    await expect(client.callTool({ name: "get_notes", arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("Did you mean `get_note`?"),
    });
  });

  test("a bug shows a reference and none of its text", async () => {
    const client = await clientOn(leg);
    const broken = await client.callTool({ name: "break_down", arguments: { how: "throw" } });
    expect(broken.structuredContent).toMatchObject({
      error: { code: "internal", details: { reference: expect.any(String) } },
    });
    expect(JSON.stringify(broken)).not.toContain("hunter2");
  });

  test("a client that asks for progress gets it", async () => {
    const client = await clientOn(leg);
    const seen: number[] = [];
    await client.callTool(
      { name: "count_slowly", arguments: { to: 200 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    // The client stops listening once it has the answer, so the last notification may be lost.
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index + 1));
  });

  // The test cannot see a call stop in another process.
  const stopsRun = leg.transport !== "stdio";
  test(`a cancelled call ends for the client${stopsRun ? ", and stops" : ""}`, async () => {
    const client = await clientOn(leg);
    const before = stoppedAt.length;
    const to = 1_000_000;
    const stop = new AbortController();
    const counting = client.callTool(
      { name: "count_slowly", arguments: { to } },
      { signal: stop.signal, onprogress: () => stop.abort("enough") },
    );
    await expect(counting).rejects.toThrow();
    if (stopsRun) {
      await expect.poll(() => stoppedAt.length).toBe(before + 1);
      expect(stoppedAt.at(-1)).toBeLessThan(to);
    }
    expect((await client.callTool({ name: "list_notes", arguments: {} })).isError).toBeFalsy();
  });

  test("a person who can be asked is asked, and their answer counts", async () => {
    const person = scriptedPerson(["no", "cancel", "yes"]);
    const client = await clientOn(leg, person);
    await client.callTool({ name: "add_note", arguments: { text: "keep me" } });
    const deleteIt = () => client.callTool({ name: "delete_note", arguments: { id: "1", confirm: true } });
    const denied = { success: false, error: { code: "denied" } };
    expect((await deleteIt()).structuredContent).toMatchObject(denied);
    expect((await deleteIt()).structuredContent).toMatchObject(denied);
    expect((await deleteIt()).structuredContent).toMatchObject({ success: true, data: { deleted: true } });
    expect(person.asked.map(({ message }) => message)).toEqual(Array(3).fill("Delete note 1?"));
  });

  test("a client that cannot ask needs the argument", async () => {
    const client = await clientOn(leg);
    await client.callTool({ name: "add_note", arguments: { text: "keep me" } });
    const refused = await client.callTool({ name: "delete_note", arguments: { id: "1" } });
    expect(refused.structuredContent).toMatchObject({ error: { code: "denied", fix_by: "human" } });
    const done = await client.callTool({ name: "delete_note", arguments: { id: "1", confirm: true } });
    expect(done.structuredContent).toMatchObject({ data: { deleted: true } });
  });
});
