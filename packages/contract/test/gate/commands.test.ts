import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInMemory } from "@toolpact/cli/testing";
import { expect, test } from "vitest";
import { freePort } from "../../../../scripts/free-port.ts";
import { program } from "../../src/command/program.ts";
import { loadPolicy, type Policy } from "../../src/gate/policy.ts";
import { visible } from "../../src/guards/shown-text.ts";
import { lab, published } from "./lab.ts";

const run = (words: string[], answer?: (question: string) => string, server: readonly string[] = []) =>
  runInMemory(program, words, { server }, answer === undefined ? {} : { answer });

function toolRule({ servers: [server] }: Policy) {
  if (server === undefined) throw new Error("The policy has no server.");
  return (tool: string) => {
    const { steps, entry } = server.toolRule(tool);
    return { rule: steps[0]?.rule, entry };
  };
}

async function waiting() {
  const made = await lab("");
  const propose = (args: { readonly path: string }) =>
    made.storage.propose({
      tool: "write_file",
      args,
      reason: "A person decides.",
      client: "agent\u001b[2J",
      expiresAt: Date.now() + 60_000,
      heldUntil: 0,
      now: Date.now(),
    });
  return { ...made, propose };
}

test("a person at a terminal sees exactly what will be sent, and approves, rejects or skips", async () => {
  const { policy, propose, storage } = await waiting();
  for (const path of ["a", "b\u202e", "c"]) await propose({ path });
  const answers = ["yes", "a", "R", "too risky", "", "s"];
  const { out, code } = await run(["gate", "approve", "--policy", policy], () => answers.shift() ?? "q");
  expect(code).toBe(0);
  expect(out).toContain('path: "b\\u{202e}"');
  expect(out).toContain("agent\\u001b[2J");
  expect(out).not.toContain("\u001b");
  expect((await storage.item(1))?.status).toBe("approved");
  expect((await storage.item(1))?.decidedBy).toMatch(/^person via terminal, user "/);
  expect(await storage.item(2)).toMatchObject({ status: "rejected", note: "too risky" });
  expect((await storage.item(3))?.status).toBe("waiting");
});

test("without a person at a terminal nothing can be decided, only listed", async () => {
  const { policy, propose, storage } = await waiting();
  await propose({ path: "a" });
  expect(await run(["gate", "approve", "--policy", policy])).toMatchObject({
    code: 1,
    err: expect.stringContaining("needs an interactive terminal"),
  });
  const listed = await run(["gate", "approve", "--policy", policy, "--list", "--output", "json"]);
  expect(listed.json()).toMatchObject({ waiting: [{ id: 1, tool: "write_file", arguments: { path: "a" } }] });
  expect((await storage.item(1))?.status).toBe("waiting");
});

test("calls with an unknown outcome come first, and the person records what they found", async () => {
  const { policy, storage } = await waiting();
  await storage.claim({
    tool: "pay",
    args: { to: "Ana" },
    receiptId: "r1",
    needs: { costMicros: 250_000, caps: {}, limits: [] },
    sameCallMs: 0,
    leaseMs: 0,
    now: Date.now() - 1,
  });
  const log = await run(["gate", "log", "--policy", policy]);
  expect(log.out).toContain("Nothing was called yet.\nSpent or held: $0.25 today");
  const { out } = await run(["gate", "approve", "--policy", policy], () => "n");
  expect(out).toContain("Unknown outcome: pay");
  expect(await storage.receipt("r1")).toMatchObject({ state: "not_done" });
  expect((await run(["gate", "log", "--policy", policy])).out).toContain("$0.00 today");
});

test("init writes every tool of a server as one that needs a person, whatever the server claims", async () => {
  const { folder } = await waiting();
  const file = join(folder, "first.toml");
  const made = await run(["gate", "init", "--policy", file], undefined, published("server-memory"));
  expect(made).toMatchObject({ code: 0 });
  const entry = JSON.parse(made.out.slice(made.out.indexOf("{")));
  expect(entry.args.slice(1)).toEqual(["gate", "--policy", file, "--", ...published("server-memory")]);
  expect(readFileSync(file, "utf8")).toContain('"read_graph" = "person" # only reads');
  const policy = await loadPolicy(file);
  if (!policy.ok) throw new Error(policy.failure);
  expect(toolRule(policy.value)("read_graph")).toMatchObject({ rule: "person", entry: "read_graph" });
  const again = await run(["gate", "init", "--policy", file], undefined, published("server-memory"));
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining("exists already") });
});

test.each([
  ["default = 'allow'", /default/],
  ["[tools]\nx = 'maybe'", /tools/],
  ["[tools]\nx = { rule = 'allow', limit = '10/year' }", /10\/hour/],
  ["color = 'red'", /color/],
  ["= nonsense", /cannot be read/],
])("a policy that says %j is refused with what is wrong", async (text, why) => {
  const { folder } = await waiting();
  const file = join(folder, "wrong.toml");
  writeFileSync(file, text);
  const loaded = await loadPolicy(file);
  expect(loaded.ok ? "" : loaded.failure).toMatch(why);
});

test("a name comes before patterns, a longer pattern before a shorter, and what is not named needs a person", async () => {
  const { folder } = await waiting();
  const file = join(folder, "rules.json");
  const tools = { "*": "deny", "read_*": "read_only", read_secret: "person", "*_file": "allow" };
  writeFileSync(file, JSON.stringify({ tools }));
  const policy = await loadPolicy(file);
  if (!policy.ok) throw new Error(policy.failure);
  const rules = ["read_secret", "read_file", "write_file", "other", "constructor"].map(
    (tool) => toolRule(policy.value)(tool).rule,
  );
  expect(rules).toEqual(["person", "allow", "allow", "deny", "deny"]);
  writeFileSync(file, "{}");
  const empty = await loadPolicy(file);
  expect(empty.ok && toolRule(empty.value)("constructor")).toMatchObject({
    rule: "person",
    entry: undefined,
  });
});

test("the policy in the documentation means what its comments say", async () => {
  const { folder } = await waiting();
  const page = readFileSync(new URL("../../../../docs/gate.md", import.meta.url), "utf8");
  const [, example = ""] = /```toml\n([\s\S]+?)```/.exec(page) ?? [];
  const file = join(folder, "documented.toml");
  writeFileSync(file, example);
  const policy = await loadPolicy(file);
  if (!policy.ok) throw new Error(policy.failure);
  const rules = ["read_text_file", "create_directory", "write_file", "move_file", "a_new_tool"].map(
    (tool) => toolRule(policy.value)(tool).rule,
  );
  expect(rules).toEqual(["read_only", "allow", "person", "deny", "person"]);
});

test("every policy in the documentation is accepted, and gate test passes on its expected decisions", async () => {
  const { folder } = await waiting();
  const page = readFileSync(new URL("../../../../docs/gate.md", import.meta.url), "utf8");
  const examples = [...page.matchAll(/```toml\n([\s\S]+?)```/g)].map(([, text = ""]) => text);
  const isDecisions = (text: string) => text.includes("[[expect]]");
  const policies = examples.filter((text) => !isDecisions(text));
  expect(policies.length).toBeGreaterThan(3);
  for (const [index, text] of policies.entries()) {
    const file = join(folder, `documented-${index}.toml`);
    writeFileSync(file, text);
    expect(await loadPolicy(file), text).toMatchObject({ ok: true });
    const decisions = examples.find(isDecisions) ?? "";
    const tool = /tool = "(\w+)"/.exec(decisions)?.[1] ?? "";
    if (!text.includes(`[tools.${tool}]`)) continue;
    writeFileSync(join(folder, "decisions.toml"), decisions);
    const tested = await run(["gate", "test", join(folder, "decisions.toml"), "--policy", file]);
    expect(tested).toMatchObject({ code: 0 });
  }
  expect.assertions(policies.length + 2);
});

test("a gate without a server, or with two, says how to name one", async () => {
  const { policy } = await waiting();
  for (const words of [
    ["gate", "--policy", policy],
    ["gate", "--url", "ftp://x", "--policy", policy],
  ])
    expect(await run(words)).toMatchObject({ code: 2 });
  expect(await run(["gate", "--url", "http://x/"], undefined, ["npx"])).toMatchObject({ code: 2 });
});

test("a server that cannot be reached is named with the reason, and no server is left behind", async () => {
  const { policy } = await waiting();
  const opened = (server: readonly string[]) => run(["gate", "--policy", policy], undefined, server);
  expect((await opened(["no-such-program"])).err).toContain('there is no program "no-such-program"');
  expect((await opened([process.execPath, "--eval", ""])).err).toContain("before it answered");
  const port = await freePort();
  const refused = await run(["gate", "--policy", policy, "--url", `http://127.0.0.1:${port}/mcp`]);
  expect(refused.err).toContain(`The server cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`);
});

test("whatever hides in a text is written out as its number", () => {
  expect(visible("a\tb\nc\r\nd")).toBe("a\tb\nc\nd");
  expect(visible("\u0000\u001b[31m\u200d\u00ad\u00a0\u2028\u3164\ufe0f\u{e0061}")).toBe(
    "\\u{0}\\u{1b}[31m\\u{200d}\\u{ad}\\u{a0}\\u{2028}\\u{3164}\\u{fe0f}\\u{e0061}",
  );
  expect(visible("Grüße, 日本語, 😀")).toBe("Grüße, 日本語, 😀");
});
