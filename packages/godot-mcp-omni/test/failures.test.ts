import { type Clock, type JsonObject, systemClock } from "@toolpact/contract";
import { describe, expect, it, vi } from "vitest";
import { Project } from "../src/project/project.ts";
import { allTools } from "../src/tools/all.ts";
import { Godots } from "../src/workspace/godots.ts";
import { SAMPLE_CALLS, type SampleCall } from "./sample-calls.ts";
import { openTestServer } from "./server-project.ts";

/** Each failure that any tool can meet, how it comes about, and the calls that must end in it. */
const sound = SAMPLE_CALLS.filter(({ expected }) => expected === "ok" || expected === "E_UNSUPPORTED");
const withMode = sound.filter(({ tool, action }) => takesMode(tool, action));

describe("E_UNSUPPORTED", () => {
  // What an engine did is taken back by the journal, which needs none.
  const byEngine = withMode.filter(({ action }) => action !== "undo" && action !== "redo");

  it.each(named(byEngine))("%s by an engine where Godot is switched off", async (_, { tool, args }) => {
    expect(await openTestServer().call(tool, { ...args, mode: "engine" })).toMatchObject({
      ok: false,
      result: null,
      error: { code: "E_UNSUPPORTED", retryable: false, suggestedFix: expect.stringContaining("GODOT_PATH") },
    });
  });
});

describe("E_NOT_CONNECTED", () => {
  it.each(named(withMode))("%s by an editor that is not there", async (_, { tool, args }) => {
    const { call } = openTestServer({ clock: impatient });
    expect(await call(tool, { ...args, mode: "editor" })).toMatchObject({
      ok: false,
      result: null,
      error: { code: "E_NOT_CONNECTED", retryable: true, suggestedFix: expect.stringContaining("addon") },
    });
  });
});

describe("E_TIMEOUT", () => {
  it.each(named(SAMPLE_CALLS))("%s after its deadline", async (_, { tool, args, expected }) => {
    const answer = await openTestServer({ clock: outOfTime }).call(tool, args);
    // What is wrong with the arguments is told before the time begins.
    if (expected === "E_SCHEMA_VALIDATION" && !answer.ok && answer.error?.code === expected) return;
    expect(answer).toMatchObject({
      ok: false,
      result: null,
      error: { code: "E_TIMEOUT", retryable: true, suggestedFix: expect.any(String) },
    });
  });
});

describe("E_INTERNAL", () => {
  const broken = new Error("the inside of a defect");
  const reaching = allTools.tools.filter(
    ({ needs }) => needs.includes("project") || needs.includes("godots"),
  );

  it.each(reaching.map(({ name }) => name))(
    "%s with a defect under it, of which only the operator hears",
    async (name) => {
      vi.spyOn(Project.prototype, "resolve").mockRejectedValue(broken);
      vi.spyOn(Project.prototype, "readText").mockRejectedValue(broken);
      for (const method of ["use", "binary", "connectedEditor", "editor"] as const)
        vi.spyOn(Godots.prototype, method).mockImplementation(() => {
          throw broken;
        });
      const server = openTestServer();
      const calls = SAMPLE_CALLS.filter(({ tool }) => tool === name);
      const answers = [];
      for (const { tool, args } of calls) answers.push(await server.call(tool, args));
      vi.restoreAllMocks();
      expect(answers.map(({ error }) => error?.code)).toContain("E_INTERNAL");
      expect(JSON.stringify(answers)).not.toContain(broken.message);
      expect(server.bugs.join()).toContain(broken.message);
    },
  );
});

/** Waits that an agent would hardly notice are over at once. */
const impatient: Clock = {
  now: systemClock.now,
  after: (ms, callback) => systemClock.after(ms <= 10_000 ? 0 : ms, callback),
};

/** Every wait is over at once. */
const outOfTime: Clock = {
  now: systemClock.now,
  after(_, callback) {
    let on = true;
    queueMicrotask(() => on && callback());
    return () => {
      on = false;
    };
  },
};

function named(calls: readonly SampleCall[]) {
  return calls.map((call) => [`${call.tool} ${call.action ?? ""}`.trim(), call] as const);
}

function takesMode(tool: string, action: string | undefined): boolean {
  const schema = allTools.get(tool)?.inputSchema("oneOf") as JsonObject;
  const branches = (schema.oneOf ?? [schema]) as readonly JsonObject[];
  const branch = branches.find(({ title }) => title === action) ?? schema;
  return "mode" in (branch.properties as JsonObject);
}
