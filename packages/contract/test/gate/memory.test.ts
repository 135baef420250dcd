import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { lab, legs, lossy, patience, published } from "./lab.ts";

const POLICY = `
wait_seconds = 20
[tools]
read_graph = "read_only"
create_entities = "allow"
delete_entities = "person"
"*" = "deny"
`;

async function memoryLab() {
  const made = await lab(POLICY);
  const file = join(made.folder, "memory.jsonl");
  const marker = join(made.folder, "lose");
  /** From the server's own file. */
  const remembered = () =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line).name as string)
      : [];
  const sent = () =>
    existsSync(`${marker}.calls`) ? readFileSync(`${marker}.calls`, "utf8").trim().split("\n") : [];
  return {
    ...made,
    marker,
    remembered,
    sent,
    options: { server: lossy(marker, published("server-memory")), env: { MEMORY_FILE_PATH: file } },
  };
}

const entity = (name: string) => ({ entities: [{ name, entityType: "person", observations: ["tall"] }] });

test.each(legs)(
  "over $transport, $era: what the policy denies is not there, and a person decides what is forgotten",
  async (leg) => {
    const { connect, decide, options, remembered } = await memoryLab();
    const { client, call } = await connect(leg, options);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "create_entities",
      "delete_entities",
      "read_graph",
    ]);
    expect(await call("create_entities", entity("Ana"))).toMatchObject({ isError: false });
    expect(await call("read_graph", {})).toMatchObject({ text: expect.stringContaining("Ana") });
    expect(remembered()).toEqual(["Ana"]);
    const forget = { entityNames: ["Ana"] };
    const [kept] = await Promise.all([call("delete_entities", forget), decide(false)]);
    expect(kept).toMatchObject({ gate: { code: "rejected_by_person" } });
    expect(remembered()).toEqual(["Ana"]);
  },
);

test("a gate that is killed while the server has answered leaves one effect and one record with an unknown outcome, which a person resolves", async () => {
  const leg = { transport: "stdio", era: "legacy" } as const;
  const { connect, options, marker, remembered, sent, storage } = await memoryLab();
  const first = await connect(leg, options);
  writeFileSync(marker, "hold create_entities");
  const lost = first.call("create_entities", entity("Bo")).catch((error: Error) => error);
  await vi.waitFor(() => expect(existsSync(marker)).toBe(false), patience);
  expect(remembered()).toEqual(["Bo"]);
  await first.kill();
  await first.client.close();
  expect(await lost).toBeInstanceOf(Error);

  const second = await connect(leg, options);
  // Its lease has not expired, so it counts as running.
  expect(await second.call("create_entities", entity("Bo"))).toMatchObject({
    gate: { code: "still_running" },
  });
  const doubts = await storage.inDoubt(Date.now() + 60_000);
  expect(doubts).toMatchObject([{ tool: "create_entities", state: "in_doubt" }]);
  expect(await second.call("create_entities", entity("Bo"))).toMatchObject({ gate: { code: "in_doubt" } });
  expect(sent()).toEqual(["create_entities"]);
  expect(remembered()).toEqual(["Bo"]);

  await storage.resolve(doubts[0]?.id ?? "", { isDone: false, by: "person", note: "" }, Date.now());
  expect(await second.call("create_entities", entity("Bo"))).toMatchObject({ isError: false });
  expect(sent()).toEqual(["create_entities", "create_entities"]);
  // The server itself stores a name once.
  expect(remembered()).toEqual(["Bo"]);
});

test("a gate that is killed before a person decides sends nothing; the next one sends what was approved, once", async () => {
  const { connect, decide, options, remembered, sent, storage } = await memoryLab();
  const first = await connect({ transport: "stdio", era: "modern" }, options);
  await first.call("create_entities", entity("Cy"));
  const lost = first.call("delete_entities", { entityNames: ["Cy"] }).catch((error: Error) => error);
  await vi.waitFor(async () => expect(await storage.items("waiting", Date.now())).toHaveLength(1), patience);
  await first.kill();
  await lost;
  await decide(true);
  expect(remembered()).toEqual(["Cy"]);
  const second = await connect({ transport: "http", era: "legacy" }, options);
  const answer = await second.call("delete_entities", { entityNames: ["Cy"] });
  expect(answer).toMatchObject({ isError: false });
  expect(remembered()).toEqual([]);
  expect(sent().filter((name) => name === "delete_entities")).toHaveLength(1);
});

test.each(legs)(
  "over $transport, $era: wait_for_previous, which Gemini CLI adds to every call, makes no other call of it",
  async (leg) => {
    const { connect, options, sent, storage } = await memoryLab();
    const { call } = await connect(leg, options);
    const key = { "io.toolpact/idempotency-key": "cy" };
    const first = await call("create_entities", { ...entity("Cy"), wait_for_previous: true }, key);
    expect(first).toMatchObject({ isError: false });
    expect(await call("create_entities", entity("Cy"), key)).toMatchObject({ text: first.text });
    expect(sent()).toEqual(["create_entities"]);
    const records = await storage.records(10);
    expect(records.length).toBeGreaterThan(0);
    expect(JSON.stringify(records)).not.toContain("wait_for_previous");
  },
);
