import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject, Progress } from "@toolpact/contract";
import type { OkEnvelope } from "@toolpact/contract/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSettings } from "../src/config/settings.ts";
import { createCore } from "../src/server/core.ts";
import { realGodot } from "./real-godot.ts";
import { childEnvironment, openTestServer } from "./server-project.ts";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
  "base64",
);
const PICTURES = 60;

describe.skipIf(realGodot === undefined)("the first calls on a project with much to import", () => {
  it("are answered from files where they read, and report progress where they need Godot", async () => {
    // Its own server has no Godot: nothing is imported before the calls of this test.
    const { root } = openTestServer();
    mkdirSync(path.join(root, "art"));
    for (let index = 0; index < PICTURES; index++)
      writeFileSync(path.join(root, `art/picture${index}.png`), PIXEL);
    const settings = readSettings({
      flags: { project: root, godot: realGodot ?? "", toolsets: "all", trust: true },
      env: {},
    });
    if (!settings.ok) throw new Error(settings.failure.message);
    const env = childEnvironment(path.dirname(root));
    const core = createCore({ settings: settings.value, env, cwd: root, onBug: () => {} });
    if (!core.ok) throw new Error(core.failure.message);
    onTestFinished(() => core.value.close());
    const heard: Progress[] = [];
    const call = async (tool: string, args: JsonObject): Promise<OkEnvelope> => {
      const answer = await core.value.pipeline.call({
        tool,
        args,
        caller: { transport: "cli" },
        progress: (step) => void heard.push(step),
      });
      if (answer.kind !== "rendered") throw new Error("It did not answer.");
      // Every answer of this server has this format.
      return answer.envelope as unknown as OkEnvelope;
    };
    const read = { action: "inspect", scene: "res://main.tscn", node: "Player" };
    expect(await call("godot_inspector", read)).toMatchObject({
      ok: true,
      execution: { mode: "files" },
      warnings: [expect.stringMatching(new RegExp(`imports .* of ${PICTURES} files`))],
    });
    const edit = { action: "update", scene: "res://main.tscn", node: "Player", properties: { z_index: 3 } };
    expect(await call("godot_scene", edit)).toMatchObject({ ok: true, execution: { mode: "engine" } });
    expect(heard).toContainEqual(
      expect.objectContaining({ total: PICTURES, message: expect.stringContaining("imports") }),
    );
    expect(heard.map(({ done }) => done)).toEqual(
      [...new Set(heard.map(({ done }) => done))].sort((a, b) => a - b),
    );
    expect(await call("godot_inspector", read)).toMatchObject({ ok: true, execution: { mode: "engine" } });
  }, 240_000);
});
