import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { runInMemory } from "@toolpact/cli/testing";
import { expect, onTestFinished, test } from "vitest";
import { program } from "../../src/command/program.ts";
import { callTool, lab, legs, published } from "./lab.ts";

const TOKEN = "a-token-of-the-ci-agent";

const POLICY = `wait_seconds = 0
[callers.ci]
token_sha256 = "${createHash("sha256").update(TOKEN).digest("hex")}"
limit = "2/hour"
[callers.desk]
token_env = "DESK_TOKEN"
usd_per_day = 0.02
[tools]
echo = { rule = "allow", when = 'caller == "ci" || caller == "desk"', else = "deny", price = 0.01 }
`;

async function client(url: string, token: string) {
  const made = new Client({ name: "ci", version: "1" });
  await made.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  onTestFinished(() => made.close());
  return (message: string) => callTool(made, "echo", { message });
}

test("each caller has its own rules, limit and budget by its token, whatever its client calls itself", async () => {
  const { serve, storage } = await lab(POLICY);
  const { url, token = "" } = await serve({
    server: published("server-everything"),
    env: { DESK_TOKEN: "a-token-of-the-desk" },
  });
  const [ci, desk, owner] = await Promise.all([
    client(url, TOKEN),
    client(url, "a-token-of-the-desk"),
    client(url, token),
  ]);
  for (const message of ["1", "2"]) expect(await ci(message)).toMatchObject({ isError: false });
  expect(await ci("3")).toMatchObject({ gate: { code: "limit_reached" } });
  for (const message of ["1", "2"]) expect(await desk(message)).toMatchObject({ isError: false });
  expect(await desk("3")).toMatchObject({ gate: { code: "over_budget" } });
  expect(await owner("1")).toMatchObject({ gate: { code: "denied_by_policy" } });
  await expect(client(url, "unknown")).rejects.toThrow();
  const records = await storage.records(10);
  expect(records.map(({ principal }) => principal).sort()).toEqual([
    ...["ci", "ci", "ci"],
    ...["desk", "desk", "desk"],
    "token",
  ]);
});

test("a client on stdio is the caller that the command line names", async () => {
  const { connect } = await lab(POLICY);
  const server = published("server-everything");
  const leg = { transport: "stdio", era: "legacy" } as const;
  const named = await connect(leg, { server, gateArgs: ["--caller", "desk"] });
  expect(await named.call("echo", { message: "1" })).toMatchObject({ isError: false });
  await named.close();
  const other = await connect(leg, { server });
  expect(await other.call("echo", { message: "1" })).toMatchObject({ gate: { code: "denied_by_policy" } });
});

const SECRET = ["sk", "proj", "abcdefghijklmnopqrstuvwx"].join("-");

test.each(legs)(
  "over $transport, $era: a secret is masked in the log and the inbox, and masked or blocked where the rule says so",
  async (leg) => {
    const { connect, storage, policy, folder } = await lab(`wait_seconds = 0
[tools]
echo = { rule = "read_only", secrets = "redact" }
get-sum = { rule = "allow", secrets = "block" }
get-structured-content = "person"
`);
    const { call } = await connect(leg, { server: published("server-everything") });
    expect(await call("echo", { message: SECRET })).toMatchObject({ text: "Echo: [secret]" });
    expect(await call("get-sum", { a: 1, b: 2, note: SECRET })).toMatchObject({
      gate: { code: "denied_by_policy" },
    });
    expect(await call("get-sum", { a: 1, b: 2 })).toMatchObject({ isError: false });
    await call("get-structured-content", { location: "Chicago", note: SECRET });
    expect(JSON.stringify(await storage.records(10))).not.toContain(SECRET);
    const list = await runInMemory(program, ["gate", "approve", "--list", "--policy", policy], {
      server: [],
    });
    expect(list.out).toContain('note: "[secret]"');
    expect(list.out).not.toContain(SECRET);
    // The stored call is whole, because it is sent after approval.
    expect(JSON.stringify(await storage.items("waiting", Date.now()))).toContain(SECRET);
    expect(readFileSync(join(folder, "gate.tools.json"), "utf8")).not.toContain(SECRET);
  },
);
