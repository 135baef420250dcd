import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInMemory } from "@toolpact/cli/testing";
import { expect, test, vi } from "vitest";
import { program } from "../../src/command/program.ts";
import { conditionCompiler } from "../../src/gate/conditions.ts";
import { narrowCondition } from "../../src/gate/narrow-rule.ts";
import { addSimilar, removeSimilar } from "../../src/gate/similar-file.ts";
import type { JsonObject } from "../../src/json.ts";
import { lab, legs, patience, published } from "./lab.ts";

const POLICY = `# my rules
wait_seconds = 0
[tools]
write_file = "person" # always
`;

async function notesLab() {
  const made = await lab(POLICY);
  const files = join(made.folder, "files");
  for (const name of ["drafts", "letters"]) mkdirSync(join(files, name), { recursive: true });
  const approve = (...answers: string[]) =>
    runInMemory(
      program,
      ["gate", "approve", "--policy", made.policy],
      { server: [] },
      { answer: () => answers.shift() ?? "q" },
    );
  return { ...made, files, approve, server: published("server-filesystem", files) };
}

test.each(legs)(
  "over $transport, $era: allowing similar calls for a week lets calls in the same folder through, and no others",
  async (leg) => {
    const { connect, files, approve, server, policy, storage } = await notesLab();
    const { call } = await connect(leg, { server });
    const write = (path: string, more: JsonObject = {}) =>
      call("write_file", { path: join(files, path), content: path, ...more });
    const waits = { gate: { code: "waiting_for_person" } };
    expect(await write("drafts/a.txt")).toMatchObject(waits);
    expect(await write("letters/a.txt")).toMatchObject(waits);

    const { out } = await approve("w", "y", "s");
    expect(out).toContain(`inside(args.path, "${join(files, "drafts")}")`);
    expect(out).toContain("Any content is allowed.");
    expect(out).toContain("Of the last 2 calls it would have passed 1, and not 1 others of write_file");
    // The gate sends the approved call once.
    await vi.waitFor(() => expect(existsSync(join(files, "drafts/a.txt"))).toBe(true), patience);

    expect(await write("drafts/b.txt")).toMatchObject({ isError: false });
    expect(existsSync(join(files, "drafts/b.txt"))).toBe(true);
    expect(await write("letters/b.txt")).toMatchObject(waits);
    expect(await write("drafts/../letters/c.txt")).toMatchObject(waits);
    expect(await write("drafts/d.txt", { force: true })).toMatchObject(waits);

    const [last] = (await storage.records(20)).filter(({ outcome }) => outcome === "done");
    expect(last?.decision).toBe("similar to 1");
    const item = await storage.item(last?.itemId ?? 0);
    expect(item?.decidedBy).toMatch(
      /^the rule for calls similar to 1, accepted by person via terminal, user "/,
    );

    const listed = await runInMemory(program, ["gate", "rules", "--policy", policy], { server: [] });
    expect(listed.out).toContain("write_file");
    await runInMemory(program, ["gate", "rules", "--off", "1", "--policy", policy], { server: [] });
    expect(readFileSync(policy, "utf8")).toBe(POLICY);
    expect(await write("drafts/e.txt")).toMatchObject(waits);
  },
);

test("a call that waits when a similar one is allowed is sent once, by its rule or by its approval", async () => {
  const { connect, files, approve, server, storage } = await notesLab();
  const { call } = await connect({ transport: "stdio", era: "modern" }, { server });
  const edit = (path: string) =>
    call("edit_file", { path: join(files, path), edits: [{ oldText: "x", newText: "xx" }] });
  for (const name of ["a", "b"]) writeFileSync(join(files, name), "x");
  await edit("a");
  await edit("b");
  await approve("d", "y", "s");
  await vi.waitFor(() => expect(readFileSync(join(files, "a"), "utf8")).toBe("xx"), patience);
  // The second still waits when its caller repeats it.
  expect(await edit("b")).toMatchObject({ isError: false });
  expect(await storage.items("waiting", Date.now())).toEqual([]);
  expect(await edit("a")).toMatchObject({ isError: false });
  expect([readFileSync(join(files, "a"), "utf8"), readFileSync(join(files, "b"), "utf8")]).toEqual([
    "xx",
    "xx",
  ]);
});

test("a rule for similar calls is bound to the caller, ends in time, and is not offered for secrets and new tools", async () => {
  const { connect, files, server, policy, approve } = await notesLab();
  const rule = {
    item: 9,
    tool: "write_file",
    when: `inside(args.path, ${JSON.stringify(files)})`,
    by: "person via web",
  };
  const until = (ms: number) => new Date(Date.now() + ms).toISOString();
  await addSimilar(policy, { ...rule, caller: "ci", until: until(60_000) });
  await addSimilar(policy, { ...rule, item: 8, until: until(-1) });
  const { call, close } = await connect({ transport: "stdio", era: "modern" }, { server });
  const write = { path: join(files, "a"), content: "x" };
  expect(await call("write_file", write)).toMatchObject({ gate: { code: "waiting_for_person" } });
  await close();
  const ci = await connect({ transport: "stdio", era: "legacy" }, { server, gateArgs: ["--caller", "ci"] });
  expect(await ci.call("write_file", { ...write, content: "y" })).toMatchObject({ isError: false });
  const secret = ["sk", "proj", "abcdefghijklmnopqrstuvwx"].join("-");
  await ci.call("create_directory", { path: join(files, secret) });
  const { out } = await approve("s", "w", "q");
  expect(out).toContain("No rule: An argument looks like a key or a token.");
});

test("a rule is added to a policy and taken back without another change of the file, also in JSON and with CRLF", async () => {
  const entry = {
    item: 3,
    tool: "a'b",
    when: 'args.x == "it\'s"',
    until: "2026-11-26T10:00:00.000Z",
    by: "me",
  };
  for (const text of [POLICY, POLICY.replaceAll("\n", "\r\n"), POLICY.trimEnd(), ""]) {
    const { policy } = await lab(text);
    expect(await addSimilar(policy, entry)).toMatchObject({ ok: true });
    expect(await addSimilar(policy, { ...entry, item: 30 })).toMatchObject({ ok: true });
    expect(readFileSync(policy, "utf8").startsWith(text)).toBe(true);
    expect(await removeSimilar(policy, 3)).toMatchObject({ ok: true });
    expect(await removeSimilar(policy, 3)).toMatchObject({ ok: false });
    expect(await removeSimilar(policy, 30)).toMatchObject({ ok: true });
    expect(readFileSync(policy, "utf8").trimEnd()).toBe(text.trimEnd());
  }
  const { folder } = await lab("");
  const json = join(folder, "gate.json");
  writeFileSync(json, '{"tools": {"a": "allow"}}');
  expect(await addSimilar(json, entry)).toMatchObject({ ok: true });
  expect(JSON.parse(readFileSync(json, "utf8"))).toEqual({ tools: { a: "allow" }, similar: [entry] });
});

test("the narrowest condition covers the calls it is made from, and no call that goes beyond them", async () => {
  const compile = await conditionCompiler();
  const narrow = (...calls: JsonObject[]) => {
    const made = narrowCondition(calls);
    if (!made.ok) throw new Error(made.failure);
    const compiled = compile(made.value.when);
    if (!compiled.ok) throw new Error(`${made.value.when}: ${compiled.failure}`);
    const holds = (args: JsonObject) =>
      compiled.value.holds({ args, caller: "", client: "", at: new Date() });
    for (const call of calls) expect(holds(call)).toBe(true);
    return holds;
  };
  const pay = narrow({ to: "ana", amount: 40 }, { to: "ben", amount: 12.5, note: "x" });
  expect(pay({ to: "ana", amount: 1 })).toBe(true);
  for (const args of [
    { to: "eve", amount: 1 },
    { to: "ana", amount: 41 },
    { to: "ana", amount: -1 },
    { to: "ana", amount: "12" },
    { to: "ana", amount: 1, note: "y" },
    { to: "ana", amount: 1, cc: "eve" },
    { amount: 1 },
  ])
    expect(pay(args)).not.toBe(true);

  const fetch = narrow({ url: "https://example.com/a", deep: true, tags: ["a"], options: { raw: null } });
  expect(fetch({ url: "https://example.com/b", deep: true, tags: ["a"], options: { raw: null } })).toBe(true);
  for (const change of [
    { url: "https://example.com.evil.org/a" },
    { deep: false },
    { tags: ["a", "b"] },
    { options: { raw: null, all: true } },
  ])
    expect(
      fetch({ url: "https://example.com/b", deep: true, tags: ["a"], options: { raw: null }, ...change }),
    ).not.toBe(true);

  const command = narrow({ command: `echo ${"a".repeat(200)}` });
  expect(command({ command: `rm ${"a".repeat(200)}` })).not.toBe(true);
  const inHome = narrow({ path: join(process.env.HOME ?? "/root", "notes.txt") });
  expect(inHome({ path: join(process.env.HOME ?? "/root", ".ssh") })).not.toBe(true);
  expect(narrow({})({ any: 1 })).not.toBe(true);
  expect(narrowCondition([{ text: "x", id: "y".repeat(3_000) }])).toMatchObject({ ok: false });
});
