import type { FaultRequest } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TuitbotTool } from "../src/guards/call/tool-facts.ts";
import { isWorkflowProfile, profiles } from "../src/profiles.ts";
import { allTools } from "../src/tools/all-tools.ts";
import { operationRow } from "../src/x/operation-table.ts";
import { breakDatabase } from "./broken-database.ts";
import { isChange, isClosed, primaryOperation } from "./calls/operations.ts";
import type { Args } from "./calls/tool-call.ts";
import { queuedItem } from "./live-server.ts";
import { type Answer, type LiveStage, openStage } from "./live-stage.ts";
import { type WatchedCalls, watchedCalls } from "./watched-calls.ts";

/** Faults of X after which a failure can be retryable, and whether X carries the request out all the same. */
const FAULTS: readonly { readonly fault: Omit<FaultRequest, "operation">; readonly acts: boolean }[] = [
  { fault: { kind: "rate_limited" }, acts: false },
  { fault: { kind: "error", status: 503, when: "before" }, acts: false },
  { fault: { kind: "error", status: 503, when: "after" }, acts: true },
  { fault: { kind: "html", status: 502, when: "after" }, acts: true },
  { fault: { kind: "drop", when: "before" }, acts: false },
  { fault: { kind: "drop", when: "after" }, acts: true },
  { fault: { kind: "reset", when: "after" }, acts: true },
];

/** How often an agent that reads only `retryable` makes the same call. */
const REPEATS = 3;

const mutating = allTools.filter((tool) => isChange(tool) && !isClosed(tool));

it("the other profiles have no tool that changes something", () => {
  const writing = profiles.filter((profile) => mutating.some((tool) => tool.profiles.includes(profile)));
  expect([...writing].sort()).toEqual(["admin", "utility-write", "write"]);
});

describe.each(["write", "admin", "utility-write"] as const)("in the profile %s", (profile) => {
  const tools = mutating.filter((tool) => tool.profiles.includes(profile));
  const atX = tools.filter((tool) => primaryOperation(tool) !== undefined);
  /** Retryable codes that were met, as `tool code`. */
  const met = new Set<string>();
  let stage: LiveStage;
  let calls: WatchedCalls;

  beforeAll(async () => {
    stage = await openStage(profile, () => ({ NODE_OPTIONS: `--import ${HELD_CLOCK}` }));
    calls = watchedCalls(profile, stage);
    await stage.call("x_get_home_timeline", {});
  });
  afterAll(() => stage?.close());

  it("no tool acts twice for an agent that repeats after every retryable failure", async () => {
    for (const tool of atX) for (const { fault, acts } of FAULTS) await repeatUnder(tool, fault, acts);
  }, 120_000);

  async function repeatUnder(tool: TuitbotTool, fault: (typeof FAULTS)[number]["fault"], acts: boolean) {
    const operation = primaryOperation(tool) ?? "";
    const { faults, journal } = stage.sandbox;
    const args = await calls.freshArgsOf(tool);
    const before = journal.entries.length;
    faults.add({ operation, ...fault });
    let answer = await called(tool, args);
    const context = `${tool.name} under ${JSON.stringify(fault)}: ${JSON.stringify(answer.error)}`;
    for (let repeat = 0; repeat < REPEATS && isRetryable(answer); repeat++) {
      met.add(`${tool.name} ${answer.error?.code}`);
      const resume = answer.error?.details?.resume;
      answer = await called(tool, { ...args, ...(typeof resume === "string" && { resume }) });
    }
    faults.clear();
    const done = journal.entries
      .slice(before)
      .filter(({ method, path }) => method !== "GET" && !path.includes("/oauth2/"))
      .filter((entry) => (entry.fault === undefined ? (entry.status ?? 500) < 300 : acts))
      .filter((entry) => !isHarmless(entry.operation))
      .map(({ method, path, query, body }) => JSON.stringify([method, path, query, body]));
    const twice = done.filter((request, index) => done.indexOf(request) !== index);
    expect(twice, context).toEqual([]);
  }

  /** Makes the call, and approves it if a rule wants that. */
  async function called({ name }: TuitbotTool, args: Args): Promise<Answer> {
    const answer = await stage.call(name, args);
    const id = queuedItem(answer);
    return id === undefined ? answer : stage.call("approve_item", { id });
  }

  it.runIf(isWorkflowProfile(profile))(
    "no tool has acted when the database fails",
    async () => {
      const prepared = [];
      for (const tool of tools) prepared.push({ tool, args: await calls.freshArgsOf(tool) });
      const repair = breakDatabase(stage.database);
      const { journal } = stage.sandbox;
      const before = journal.entries.length;
      for (const { tool, args } of prepared)
        for (let call = 0; call < 2; call++) {
          const { error } = await calls.call(tool, args);
          expect([tool.name, error?.code]).toEqual([tool.name, "db_error"]);
          met.add(`${tool.name} db_error`);
        }
      expect(journal.entries.slice(before).filter(({ method }) => method !== "GET")).toEqual([]);
      repair();
    },
    60_000,
  );

  it("every tool was repeated after a retryable failure of X, under each retryable code of some tool", () => {
    const repeated = new Set([...met].map((row) => row.split(" ")[0]));
    expect(atX.filter(({ name }) => !repeated.has(name)).map(({ name }) => name)).toEqual([]);
    const codes = new Set([...met].map((row) => row.split(" ")[1]));
    for (const code of ["x_rate_limited", "x_network_error", "x_api_error", "thread_partial_failure"])
      expect(codes).toContain(code);
  });
});

const HELD_CLOCK = new URL("held-clock.ts", import.meta.url).href;

function isRetryable({ error }: Answer): boolean {
  return error?.retryable === true;
}

/** Sending it again ends in the same state: marks, their undo, deletions and uploads. */
function isHarmless(operation: string | undefined): boolean {
  const row = operationRow(operation);
  if (row === undefined) return false;
  const isSameEnd = row.readBack.look === "nowhere" && row.readBack.isRepeatable;
  return isSameEnd || row.isPreparation === true || row.repeat === "free" || row.repeat === "until_undone";
}
