import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { scriptedPerson } from "../../src/testing/index.ts";
import { lab, legs, lossy, patience, published, twoLegs } from "./lab.ts";

const POLICY = `
wait_seconds = 20
[tools]
"read_*" = "read_only"
"list_allowed_directories" = { rule = "read_only", limit = "2/day" }
edit_file = "allow"
create_directory = { rule = "allow", price = 0.4 }
move_file = "deny"
[budget]
usd_per_month = 1
`;

async function filesLab(policy = POLICY) {
  const made = await lab(policy);
  const files = join(made.folder, "files");
  mkdirSync(files);
  const path = (name: string) => join(files, name);
  const read = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), "utf8") : undefined);
  return { ...made, path, read, server: published("server-filesystem", files) };
}

test.each(legs)(
  "over $transport, $era: reads pass, a person decides about a write, and nothing is done twice",
  async (leg) => {
    const { connect, decide, storage, server, path, read } = await filesLab();
    const { client, call } = await connect(leg, { server });
    const { tools } = await client.listTools();
    const listed = new Map(tools.map(({ name, _meta }) => [name, _meta?.["io.toolpact/gate"]]));
    expect(listed.get("read_text_file")).toEqual({ rule: "read_only" });
    expect(listed.get("write_file")).toEqual({ rule: "person" });
    expect(listed.has("move_file")).toBe(false);
    await expect(call("move_file", { source: path("a"), destination: path("b") })).rejects.toThrow(
      "Unknown tool",
    );

    writeFileSync(path("a.txt"), "hello");
    expect(await call("read_text_file", { path: path("a.txt") })).toMatchObject({
      text: "hello",
      isError: false,
    });

    const write = { path: path("b.txt"), content: "written once" };
    const [written] = await Promise.all([call("write_file", write), decide(true)]);
    expect(written).toMatchObject({ isError: false });
    expect(read("b.txt")).toBe("written once");

    const [rejected] = await Promise.all([
      call("write_file", { path: path("c.txt"), content: "no" }),
      decide(false, "not that file"),
    ]);
    expect(rejected).toMatchObject({ isError: true, gate: { code: "rejected_by_person" } });
    expect(rejected.text).toContain("not that file");
    expect(read("c.txt")).toBeUndefined();

    // Answered from the receipt if the key is the same.
    const edit = { path: path("a.txt"), edits: [{ oldText: "hello", newText: "hello hello" }] };
    const meta = { "io.toolpact/idempotency-key": "edit-1" };
    expect(await call("edit_file", edit, meta)).toMatchObject({ isError: false });
    expect(await call("edit_file", edit, meta)).toMatchObject({
      isError: false,
      gate: { from_receipt: true },
    });
    expect(read("a.txt")).toBe("hello hello");

    for (const name of ["d1", "d2"])
      expect(await call("create_directory", { path: path(name) })).toMatchObject({ isError: false });
    expect(await call("create_directory", { path: path("d3") })).toMatchObject({
      gate: { code: "over_budget" },
    });
    expect(existsSync(path("d3"))).toBe(false);
    for (let i = 0; i < 2; i++)
      expect(await call("list_allowed_directories", {})).toMatchObject({ isError: false });
    expect(await call("list_allowed_directories", {})).toMatchObject({ gate: { code: "limit_reached" } });

    const records = await storage.records(100);
    expect(
      records.filter(({ tool }) => tool === "write_file").map(({ code, outcome }) => code ?? outcome),
    ).toEqual(["rejected_by_person", "done"]);
  },
);

test("a call that is approved after its caller stopped waiting is sent, and its answer is kept", async () => {
  const { connect, decide, server, path, read, storage } = await filesLab(POLICY.replace("20", "0"));
  // Approved for another tool under the same policy.
  const now = Date.now();
  await storage.propose({ tool: "pay", args: {}, reason: "", expiresAt: now + 60_000, heldUntil: 0, now });
  await decide(true);
  const { call } = await connect({ transport: "stdio", era: "modern" }, { server });
  const write = { path: path("late.txt"), content: "late" };
  const first = await call("write_file", write);
  expect(first).toMatchObject({ isError: true, gate: { code: "waiting_for_person", item_id: 2 } });
  expect(read("late.txt")).toBeUndefined();
  await decide(true);
  await vi.waitFor(() => expect(read("late.txt")).toBe("late"), patience);
  const isRecorded = { tool: "write_file", outcome: "done", itemId: 2, receiptId: expect.any(String) };
  await vi.waitFor(async () => expect((await storage.records(1))[0]).toMatchObject(isRecorded), patience);
  const answer = await vi.waitFor(async () => {
    const given = await call("write_file", write);
    expect(given.gate).toMatchObject({ from_receipt: true });
    return given;
  }, patience);
  expect(answer.isError).toBe(false);
  expect(answer.gate.decisions).toMatchObject([{ item_id: 2, tool: "write_file", status: "approved" }]);
  // That answer was delivered, so the same call is new.
  expect(await call("write_file", write)).toMatchObject({ gate: { code: "waiting_for_person", item_id: 3 } });
  expect((await storage.item(1))?.receiptId).toBeUndefined();
});

test.each(twoLegs)(
  "over $transport, $era: a lost answer leaves the outcome unknown, and the call is not sent again",
  async (leg) => {
    const { connect, folder, server, path, read, storage } = await filesLab();
    const marker = join(folder, "lose");
    const { call } = await connect(leg, { server: lossy(marker, server) });
    const calls = () =>
      readFileSync(`${marker}.calls`, "utf8")
        .split("\n")
        .filter((name) => name === "edit_file");
    writeFileSync(path("a.txt"), "x");
    writeFileSync(marker, "edit_file");
    const edit = { path: path("a.txt"), edits: [{ oldText: "x", newText: "xx" }] };
    expect(await call("edit_file", edit)).toMatchObject({ isError: true, gate: { code: "in_doubt" } });
    expect(read("a.txt")).toBe("xx");
    // The server is restarted for the next request.
    expect(await call("read_text_file", { path: path("a.txt") })).toMatchObject({ text: "xx" });
    expect(await call("edit_file", edit)).toMatchObject({ gate: { code: "in_doubt" } });
    expect(calls()).toHaveLength(1);
    expect(read("a.txt")).toBe("xx");

    const [doubt] = await storage.inDoubt(Date.now());
    expect(
      await storage.resolve(doubt?.id ?? "", { isDone: true, by: "person", note: "seen" }, Date.now()),
    ).toBe(true);
    expect(await call("edit_file", edit)).toMatchObject({ gate: { code: "settled_by_person" } });
    expect(calls()).toHaveLength(1);
    // A person recorded the outcome and the agent knows it, so the same call is new.
    expect(await call("edit_file", edit)).toMatchObject({ isError: false });
    expect(read("a.txt")).toBe("xxx");
  },
);

test("a lost answer to a read leaves no unknown outcome: the read can be repeated", async () => {
  const { connect, folder, server, path, storage } = await filesLab();
  const marker = join(folder, "lose");
  const { call } = await connect({ transport: "stdio", era: "modern" }, { server: lossy(marker, server) });
  writeFileSync(path("a.txt"), "x");
  writeFileSync(marker, "read_text_file");
  expect(await call("read_text_file", { path: path("a.txt") })).toMatchObject({
    gate: { code: "server_unreachable" },
  });
  expect(await call("read_text_file", { path: path("a.txt") })).toMatchObject({ text: "x" });
  expect(await storage.inDoubt(Date.now())).toEqual([]);
});

test.each(["modern", "legacy"] as const)(
  "in %s, the person can be asked through the client, with everything visible",
  async (era) => {
    const { connect, server, path, read } = await filesLab(`ask_in_client = true\n${POLICY}`);
    const person = scriptedPerson([{ form: { approve: "yes" } }, { form: { approve: "no" } }]);
    const { call } = await connect({ transport: "stdio", era }, { server, person });
    const hidden = "harmless\u202etxt.exe\u200b\u{e0041}";
    expect(await call("write_file", { path: path("a.txt"), content: hidden })).toMatchObject({
      isError: false,
    });
    expect(read("a.txt")).toBe(hidden);
    expect(person.asked[0]?.message).toContain("harmless\\u{202e}txt.exe\\u{200b}\\u{e0041}");
    expect(await call("write_file", { path: path("b.txt"), content: "b" })).toMatchObject({
      gate: { code: "rejected_by_person" },
    });
    expect(read("b.txt")).toBeUndefined();
  },
);

test.each(["modern", "legacy"] as const)(
  "in %s, a form that a client without a person declines or closes leaves the call in the inbox",
  async (era) => {
    const { connect, decide, server, path, read, storage } = await filesLab(
      `ask_in_client = true\n${POLICY.replace("wait_seconds = 20", "wait_seconds = 0")}`,
    );
    const person = scriptedPerson(["no", "cancel", { form: { approve: true } }]);
    const { call } = await connect({ transport: "stdio", era }, { server, person });
    const write = () => call("write_file", { path: path("a.txt"), content: "a" });
    for (const _ of ["declined", "closed"]) {
      expect(await write()).toMatchObject({ gate: { code: "waiting_for_person", item_id: 1 } });
      expect(await storage.item(1)).toMatchObject({ status: "waiting" });
    }
    // An earlier form's check box, which the client itself may reject.
    await write().catch(() => {});
    expect(await storage.item(1)).toMatchObject({ status: "waiting" });
    expect(read("a.txt")).toBeUndefined();
    await decide(true);
    await vi.waitFor(async () => expect(await write()).toMatchObject({ isError: false }), patience);
    expect(read("a.txt")).toBe("a");
    expect(person.asked).toHaveLength(3);
    expect(person.asked[0]?.fields).toMatchObject({
      approve: { type: "string", oneOf: [{ const: "no" }, { const: "yes" }] },
    });
  },
);
