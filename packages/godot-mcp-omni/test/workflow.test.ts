import { describe, expect, it } from "vitest";
import { realGodot } from "./real-godot.ts";
import { openTestServer } from "./server-project.ts";

const scene = "res://main.tscn";

function run(steps: readonly object[], more: object = {}) {
  const server = openTestServer();
  const workflow = { schemaVersion: 1, steps };
  return { server, answer: server.call("godot_workflow", { action: "run", workflow, ...more } as never) };
}

describe.skipIf(realGodot === undefined)("a workflow with an engine", () => {
  it("does a step that is tried again while the engine starts at most once", async () => {
    const server = openTestServer({ flags: { godot: realGodot ?? "" } });
    const step = {
      tool: "godot_scene",
      args: { action: "create", scene, type: "Node2D", name: "Once", mode: "engine" },
      timeoutMs: 500,
      retries: 10,
      retryDelayMs: 1,
    };
    const workflow = { schemaVersion: 1, steps: [step] };
    const ran = await server.call("godot_workflow", { action: "run", workflow });
    // All earlier work has ended when this is answered.
    const listed = await server.call("godot_inspector", { action: "scene_tree.get", scene, mode: "engine" });
    expect(listed.ok).toBe(true);
    expect(server.read("main.tscn").match(/name="Once\d*"/g) ?? []).toHaveLength(ran.ok ? 1 : 0);
  }, 120_000);
});

describe("a workflow", () => {
  it("passes what one step answered to the next, and checks what it must be", async () => {
    const { server, answer } = run(
      [
        {
          id: "make",
          tool: "godot_scene",
          args: { action: "create", scene, type: "Node2D", name: `\${vars.name}` },
          expect: [
            { path: "result.saved", equals: true },
            { path: "result.changes", atLeast: 1 },
            { path: "summary", matches: "^Added" },
          ],
        },
        {
          id: "use",
          tool: "godot_scene",
          args: {
            action: "create",
            scene,
            type: "Node2D",
            name: "Kid",
            parent: `\${steps.make.result.changes.0.node}`,
          },
        },
      ],
      { variables: { name: "Made" } },
    );
    expect(await answer).toMatchObject({
      ok: true,
      summary: "All 2 steps passed.",
      result: { passed: true },
    });
    expect(server.read("main.tscn")).toContain('[node name="Kid" type="Node2D" parent="Made"]');
  });

  it("passes a step that is meant to fail and does", async () => {
    const { answer } = run([
      {
        tool: "godot_scene",
        args: { action: "remove", scene, node: "Nobody" },
        expectOk: false,
        expect: [{ path: "error.code", equals: "E_NOT_FOUND" }],
      },
    ]);
    expect(await answer).toMatchObject({ ok: true });
  });

  it("stops at the first step that fails and says which, with its code", async () => {
    const { server, answer } = run([
      { id: "bad", tool: "godot_scene", args: { action: "remove", scene, node: "Nobody" } },
      { id: "never", tool: "godot_scene", args: { action: "remove", scene, node: "Player" } },
    ]);
    expect(await answer).toMatchObject({
      ok: false,
      result: null,
      error: {
        code: "E_NOT_FOUND",
        message: expect.stringContaining("bad"),
        details: { steps: [{ status: "failed" }, { status: "skipped" }] },
      },
    });
    expect(server.read("main.tscn")).toContain('name="Player"');
  });

  it("continues after a failed step if the step allows it", async () => {
    const { answer } = run([
      { tool: "godot_scene", args: { action: "remove", scene, node: "Nobody" }, continueOnError: true },
      { tool: "godot_workspace", args: { action: "status" } },
    ]);
    expect(await answer).toMatchObject({
      ok: false,
      error: { details: { steps: [{ status: "failed" }, { status: "passed" }] } },
    });
  });

  it("fails where an expectation is not met", async () => {
    const { answer } = run([
      {
        tool: "godot_workspace",
        args: { action: "status" },
        expect: [{ path: "result.connected", equals: true }],
      },
    ]);
    expect(await answer).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("result.connected is false, not true") },
    });
  });

  it("retries retryable failures", async () => {
    const { answer } = run([
      {
        tool: "godot_workspace",
        args: { action: "connect", timeoutMs: 100 },
        retries: 2,
        retryDelayMs: 1,
        expectOk: false,
      },
    ]);
    expect(await answer).toMatchObject({
      ok: true,
      result: { steps: [{ attempts: 3, code: "E_NOT_CONNECTED" }] },
    });
  });

  it("fills in what it expects, too, and refuses variables it has not", async () => {
    const step = {
      tool: "godot_scene",
      args: { action: "create", scene, type: "Node2D", name: `\${vars.name}` },
      expect: [{ path: "result.changes.0.node", equals: `\${vars.name}` }],
    };
    expect(await run([step], { variables: { name: "Made" } }).answer).toMatchObject({ ok: true });
    const { server, answer } = run([step], { variables: { name: "Made", nmae: "Lost" } });
    expect(await answer).toMatchObject({
      ok: false,
      error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("nmae") },
    });
    expect(server.read("main.tscn")).not.toContain('"Made"');
  });

  it("stops a step at its timeout", async () => {
    const { answer } = run([
      {
        tool: "godot_workspace",
        args: { action: "connect", timeoutMs: 60_000 },
        timeoutMs: 50,
        expectOk: false,
        expect: [{ path: "error.code", equals: "E_TIMEOUT" }],
      },
    ]);
    expect(await answer).toMatchObject({ ok: true });
  });

  it("changes nothing in a dry run", async () => {
    const { server, answer } = run(
      [{ tool: "godot_scene", args: { action: "remove", scene, node: "Player" } }],
      {
        dryRun: true,
      },
    );
    expect(await answer).toMatchObject({ ok: true, result: { dryRun: true } });
    expect(server.read("main.tscn")).toContain('name="Player"');
  });

  it.each([
    [{ schemaVersion: 2, steps: [] }, "schemaVersion"],
    [{ schemaVersion: 1, steps: [] }, "steps"],
    [{ schemaVersion: 1, steps: [{ tool: "godot_nope" }] }, "godot_nope"],
    [{ schemaVersion: 1, steps: [{ tool: "godot_scene", args: { action: "nope" } }] }, "nope"],
    [{ schemaVersion: 1, steps: [{ tool: "godot_workflow", args: { action: "schema" } }] }, "another"],
    [
      { schemaVersion: 1, steps: [{ tool: "godot_meta", args: { action: `\${steps.later.x}` } }] },
      "no earlier step",
    ],
    [{ schemaVersion: 1, steps: [{ tool: "godot_meta", surprise: 1 }] }, "surprise"],
    [{ schemaVersion: 1, steps: [{ tool: "a", expect: [{ path: "x" }] }] }, "exactly one of"],
  ])("%j is refused before anything runs", async (workflow, why) => {
    const { call } = openTestServer();
    expect(await call("godot_workflow", { action: "validate", workflow: workflow as never })).toMatchObject({
      ok: false,
      error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining(why) },
    });
  });
});
