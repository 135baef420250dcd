import { type Clock, type JsonObject, systemClock } from "@toolpact/contract";
import { describe, expect, it, vi } from "vitest";
import { Project } from "../src/project/project.ts";
import { allTools } from "../src/tools/all.ts";
import { Workspace } from "../src/workspace/workspace.ts";
import { declaredCodes } from "./declared-codes.ts";
import { SAMPLE_CALLS, type SampleCall } from "./sample-calls.ts";
import { GAME, openTestServer, type TestServerOptions } from "./server-project.ts";

/** Each failure that any tool can meet, how it comes about, and the calls that must end in it. */
const sound = SAMPLE_CALLS.filter(({ expected }) => expected === "ok" || expected === "E_UNSUPPORTED");
const withMode = sound.filter(({ tool, action }) => takesMode(tool, action));

describe("E_UNSUPPORTED", () => {
  // The journal reverts edits of an engine without one.
  const byEngine = withMode.filter(({ action }) => action !== "undo" && action !== "redo");

  it.each(named(byEngine))("%s in mode engine while Godot is turned off", async (_, { tool, args }) => {
    expect(await openTestServer().call(tool, { ...args, mode: "engine" })).toMatchObject({
      ok: false,
      result: null,
      error: { code: "E_UNSUPPORTED", retryable: false, suggestedFix: expect.stringContaining("GODOT_PATH") },
    });
  });
});

describe("E_NOT_CONNECTED", () => {
  it.each(named(withMode))("%s in mode editor without an editor", async (_, { tool, args }) => {
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
    // Invalid arguments are reported before the time limit starts.
    if (expected === "E_SCHEMA_VALIDATION" && !answer.ok && answer.error?.code === expected) return;
    expect(answer).toMatchObject({
      ok: false,
      result: null,
      error: { code: "E_TIMEOUT", retryable: true, suggestedFix: expect.any(String) },
    });
  });
});

describe("E_INTERNAL", () => {
  const broken = new Error("the inside of a bug");
  const reaching = allTools.tools.filter(
    ({ needs }) => needs.includes("project") || needs.includes("workspace"),
  );

  it.each(reaching.map(({ name }) => name))(
    "%s answers E_INTERNAL for a bug, whose text only the operator sees",
    async (name) => {
      vi.spyOn(Project.prototype, "resolve").mockRejectedValue(broken);
      vi.spyOn(Project.prototype, "readText").mockRejectedValue(broken);
      for (const method of ["use", "binary", "connectedEditor", "editor"] as const)
        vi.spyOn(Workspace.prototype, method).mockImplementation(() => {
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

describe("every code that a tool declares", () => {
  const CLOSED = "res://.git/config";

  it.each(allTools.tools.map(({ name }) => name))("%s can answer with each of its codes", async (name) => {
    const provoked = new Set<string>(["E_INTERNAL", "E_SCHEMA_VALIDATION"]);
    const ways: readonly (TestServerOptions & { readonly change?: (args: JsonObject) => JsonObject })[] = [
      {},
      { files: {} },
      { files: { ...GAME, ".godot_mcp": "a file where a folder must be" } },
      { clock: outOfTime },
      { flags: { "read-only": true } },
      { flags: { trust: undefined } },
      { flags: { toolsets: `meta,${toolsetOf(name)}` } },
      { clock: impatient, change: (args) => ({ ...args, mode: "editor" }) },
      { change: (args) => ({ ...args, mode: "engine" }) },
      { change: (args) => replaced(args, "res://nothing.tscn") },
      { change: (args) => replaced(args, CLOSED) },
      { files: { ...GAME, "main.tscn": "RSRC", "player.gd": "RSRC", "flow.json": "RSRC" } },
    ];
    const calls = [
      ...(OTHER_CALLS[name] ?? []),
      ...SAMPLE_CALLS.filter(({ tool }) => tool === name).map(({ args }) => args),
    ];
    for (const { change, ...options } of ways) {
      const { call } = openTestServer(options);
      for (const args of calls) {
        const { error, errors, summary } = await call(name, change?.(args) ?? args);
        if (error === null) continue;
        provoked.add(error.code);
        const said = `${error.code}: ${summary}`;
        expect(summary.length, said).toBeLessThanOrEqual(120);
        expect(error.message.replace(/\s+/g, " "), said).toContain(summary.replace(/[.…]$/, ""));
        expect(summary, said).not.toMatch(/\bE_[A-Z]|\n/);
        expect(errors, said).toEqual([{ code: error.code, message: error.message }]);
      }
    }
    const missing = declaredCodes(name).filter((code) => !provoked.has(code));
    expect([...new Set(missing)]).toEqual(NEEDS_GODOT[name] ?? []);
  });
});

function toolsetOf(name: string): string {
  return allTools.tools.find((tool) => tool.name === name)?.category ?? name;
}

/** Additional calls with special failures. */
const OTHER_CALLS: Readonly<Record<string, readonly JsonObject[]>> = {
  godot_diagnostics: [{ action: "scenes", paths: ["res://.git/config"] }],
  godot_meta: [
    { action: "tool_help", tool: "godot_nothing" },
    { action: "enable_toolset", toolset: "test" },
    { action: "read", tool: "godot_workspace", args: { action: "get_state" } },
  ],
  godot_project: [{ action: "project_info.get" }],
  godot_understand: [{ action: "rename", target: "node", scene: "res://mat.tres", name: "A", to: "B" }],
  godot_workflow: [
    {
      action: "run",
      workflow: { schemaVersion: 1, steps: [{ tool: "godot_log", args: { action: "tail" } }] },
    },
  ],
};

/** A Godot process that ended or refuses is needed for these. */
const NEEDS_GODOT: Readonly<Record<string, readonly string[]>> = {
  godot_diagnostics: ["E_NOT_CONNECTED"],
  godot_game: ["E_NOT_CONNECTED"],
  godot_log: ["E_UNSUPPORTED"],
  godot_recording: ["E_NOT_CONNECTED"],
  godot_test: ["E_NOT_CONNECTED"],
  godot_understand: ["E_NOT_CONNECTED"],
};

function replaced(args: JsonObject, path: string): JsonObject {
  const entries = Object.entries(args).map(([key, value]) =>
    typeof value === "string" && value.startsWith("res://") ? [key, path] : [key, value],
  );
  return Object.fromEntries(entries);
}

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
