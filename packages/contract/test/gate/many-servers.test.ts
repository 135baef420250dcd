import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { Upstream } from "../../src/gate/upstream.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { scriptedPerson } from "../../src/testing/index.ts";
import { lab, legs, patience, published, twoLegs } from "./lab.ts";

function section(name: string, [command = "", ...args]: readonly string[], rest: string): string {
  return `[servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n${rest}\n`;
}

function threeServers() {
  return lab((folder) => {
    mkdirSync(join(folder, "files"));
    writeFileSync(join(folder, "files", "a.txt"), "hello");
    return [
      "wait_seconds = 0",
      section(
        "files",
        published("server-filesystem", join(folder, "files")),
        '[servers.files.tools]\nread_text_file = "read_only"\nwrite_file = "person"\n"*" = "deny"',
      ),
      section(
        "memory",
        published("server-memory"),
        `env = { MEMORY_FILE_PATH = ${JSON.stringify(join(folder, "memory.jsonl"))} }\n[servers.memory.tools]\ncreate_entities = "allow"\nread_graph = "read_only"`,
      ),
      section(
        "all",
        published("server-everything"),
        '[servers.all.tools]\necho = "read_only"\n"trigger-*" = "allow"',
      ),
    ].join("\n");
  });
}

test.each(legs)(
  "over $transport, $era: three servers behind one gate have their tools under their names, and each gets its own calls",
  async (leg) => {
    const { connect, decide, folder } = await threeServers();
    const person = scriptedPerson([{ form: { name: "Ana", check: true } }]);
    const { client, call } = await connect(leg, { person });
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith("files__")).sort()).toEqual([
      "files__read_text_file",
      "files__write_file",
    ]);
    expect(names).toEqual(expect.arrayContaining(["memory__read_graph", "all__echo"]));

    const path = join(folder, "files", "a.txt");
    expect(await call("files__read_text_file", { path })).toMatchObject({ text: "hello" });
    expect(await call("all__echo", { message: "hi" })).toMatchObject({ text: "Echo: hi" });
    const entity = { name: "Ana", entityType: "friend", observations: ["tall"] };
    expect(await call("memory__create_entities", { entities: [entity] })).toMatchObject({ isError: false });
    expect(readFileSync(join(folder, "memory.jsonl"), "utf8")).toContain("Ana");

    const write = { path: join(folder, "files", "b.txt"), content: "b" };
    expect(await call("files__write_file", write)).toMatchObject({ gate: { code: "waiting_for_person" } });
    await decide(true);
    // The gate sends approved calls once a second.
    await vi.waitFor(() => expect(existsSync(write.path)).toBe(true), patience);

    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain("all__simple-prompt");
    expect((await client.getPrompt({ name: "all__simple-prompt" })).messages).toHaveLength(1);
    await expect(client.getPrompt({ name: "files__simple-prompt" })).rejects.toThrow();
    const completed = await client.complete({
      ref: { type: "ref/prompt", name: "all__completable-prompt" },
      argument: { name: "department", value: "E" },
    });
    expect(completed.completion.values).toContain("Engineering");
    const [resource] = (await client.listResources()).resources;
    const read = await client.readResource({ uri: resource?.uri ?? "" });
    expect(read.contents[0]).toMatchObject({ uri: resource?.uri });
    const dynamic = await client.readResource({ uri: "demo://resource/dynamic/text/1" });
    expect(dynamic.contents).toHaveLength(1);
    await expect(client.readResource({ uri: "nobody://has/this" })).rejects.toThrow("No server has");

    const progress: number[] = [];
    await client.callTool(
      { name: "all__trigger-long-running-operation", arguments: { duration: 0.6, steps: 3 } },
      { onprogress: (made) => progress.push(made.progress) },
    );
    expect(progress.filter((made) => made >= 1).slice(0, 2)).toEqual([1, 2]);
    expect(await call("all__trigger-elicitation-request", {})).toMatchObject({
      text: expect.stringContaining("User provided"),
    });
    expect(person.asked).toHaveLength(1);
  },
);

test.each(twoLegs)(
  "over $transport, $era: a call that is cancelled at one of several servers is cancelled there",
  async (leg) => {
    const { connect, storage } = await threeServers();
    const { client, call } = await connect(leg);
    const cancel = new AbortController();
    const long = client.callTool(
      { name: "all__trigger-long-running-operation", arguments: { duration: 60, steps: 600 } },
      { signal: cancel.signal, onprogress: () => cancel.abort() },
    );
    await expect(long).rejects.toThrow();
    await vi.waitFor(
      async () =>
        expect((await storage.records(1))[0]).toMatchObject({ tool: "all__trigger-long-running-operation" }),
      patience,
    );
    expect(await call("all__echo", { message: "still here" })).toMatchObject({ text: "Echo: still here" });
  },
);

const STARTS = join(import.meta.dirname, "starting-server.ts");

test("a server that has run before starts with its first call, and the others do not start", async () => {
  const { connect, folder } = await lab((at) =>
    ["one", "two"]
      .map((name) =>
        section(
          name,
          [process.execPath, STARTS, join(at, `${name}.starts`)],
          `[servers.${name}.tools]\nhello = "read_only"`,
        ),
      )
      .join("\n"),
  );
  const starts = (name: string) => readFileSync(join(folder, `${name}.starts`), "utf8").length;
  const first = await connect({ transport: "stdio", era: "modern" });
  const { tools } = await first.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["one__hello", "two__hello"]);
  await first.close();
  // A second process finds out the program's protocol, once.
  const before = starts("one");
  expect(starts("two")).toBe(before);

  const second = await connect({ transport: "stdio", era: "legacy" });
  expect((await second.client.listTools()).tools).toEqual(tools);
  expect([starts("one"), starts("two")]).toEqual([before, before]);
  expect(await second.call("two__hello", {})).toMatchObject({ text: "hello" });
  expect([starts("one"), starts("two")]).toEqual([before, before + 1]);
});

test("a server that cannot start does not keep the others from serving, and is there once it can", async () => {
  const { connect, folder } = await lab((at) =>
    [
      section("one", [process.execPath, STARTS, join(at, "one.starts")], ""),
      section("two", [process.execPath, STARTS, join(at, "two.starts"), join(at, "missing")], ""),
      `[servers.three]\nurl = "https://example.com/$\{NOT_SET_ANYWHERE}"`,
    ].join("\n"),
  );
  const { client } = await connect({ transport: "stdio", era: "modern" });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["one__hello"]);
  writeFileSync(join(folder, "missing"), "");
  await vi.waitFor(
    async () =>
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["one__hello", "two__hello"]),
    patience,
  );
  rmSync(join(folder, "missing"));
});

test("a server that keeps failing is tried after 1 s, then 2 s, and at once after it has answered", async () => {
  const { folder } = await lab("");
  const [starts, needed] = [join(folder, "starts"), join(folder, "needed")];
  const clock = new FakeClock();
  const upstream = new Upstream(
    { command: process.execPath, args: [STARTS, starts, needed] },
    {},
    { notified: () => {}, asked: () => Promise.reject(new Error("Nobody is asked.")), lost: () => {} },
    clock,
  );
  const attempt = () => upstream.tools(new AbortController().signal).catch((error: Error) => error.message);
  const count = () => readFileSync(starts, "utf8").length;
  await attempt();
  await attempt();
  const tried = count();
  expect(await attempt()).toContain("failed 2 times in a row, and is tried again in 1 s");
  expect(count()).toBe(tried);
  clock.advance(1_000);
  await attempt();
  expect(count()).toBeGreaterThan(tried);
  expect(await attempt()).toContain("tried again in 2 s");
  writeFileSync(needed, "");
  clock.advance(2_000);
  expect(await attempt()).toHaveLength(1);
  await upstream.close();
});

test.each([
  ["[tools]\nx = 'deny'\n[servers.a]\ncommand = 'x'", /servers.NAME.tools/],
  ["[servers.a_b]\ncommand = 'x'", /letters, digits and hyphens/],
  [
    "[servers.a]\ncommand = 'x'\nprefix = false\n[servers.b]\ncommand = 'x'\nprefix = false",
    /only one server/,
  ],
])("a policy with the sections %j is refused with what is wrong", async (text, why) => {
  await expect(lab(text)).rejects.toThrow(why);
});
