import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RawGodotDriver } from "../src/operations/driver.ts";
import type { TreeNode } from "../src/operations/results.ts";
import type { SceneEdit } from "../src/operations/scene-edit.ts";
import { binaryAt, editorFor, engineFor, makeProject, START_MS, type TestProject } from "./godot-project.ts";
import { sampleFiles } from "./godot-sample.ts";
import { realGodot } from "./real-godot.ts";

/** `#7` stands for the seventh node, because which nodes there are is known only when an edit's turn comes. */
const node = fc.nat({ max: 40 }).map((n) => `#${n}`);
const name = fc.constantFrom("A", "B", "Hero", "Gun", "Tail");
const only = fc.constant;

const edits: fc.Arbitrary<SceneEdit> = fc.oneof(
  fc.record({
    kind: only("add" as const),
    type: fc.constantFrom("Node", "Sprite2D", "Node3D", "Button", "VBoxContainer", "Timer"),
    name,
    parent: node,
  }),
  fc.record({ kind: only("instance" as const), source: only("res://coin.tscn"), parent: node }),
  fc.record({ kind: only("remove" as const), node }),
  fc.record({ kind: only("rename" as const), node, name }),
  fc.record({ kind: only("move" as const), node, index: fc.nat({ max: 3 }) }),
  fc.record({ kind: only("duplicate" as const), node }),
  fc.record({ kind: only("reparent" as const), node, parent: node, keepGlobalTransform: fc.boolean() }),
  fc.record({
    kind: only("set" as const),
    node,
    properties: fc.record({ position: fc.record({ x: fc.integer({ min: -9, max: 9 }), y: only(1.5) }) }),
  }),
  fc.record({ kind: only("script" as const), node, script: fc.constantFrom("res://coin.gd", null) }),
  fc.record({ kind: only("group" as const), node, group: only("g"), member: fc.boolean() }),
  fc.record({ kind: only("unique_name" as const), node, unique: fc.boolean() }),
  fc.record({ kind: only("editable" as const), node, editable: fc.boolean() }),
  fc.record({
    kind: only("connect" as const),
    node,
    signal: only("renamed"),
    to: node,
    method: only("get_index"),
  }),
);

describe.skipIf(!realGodot).each(["engine", "editor"] as const)("undo in the %s", (mode) => {
  let project: TestProject;
  let driver: RawGodotDriver;
  const undo: (() => void | Promise<void>)[] = [];
  const later = (step: () => void | Promise<void>) => undo.unshift(step);

  beforeAll(async () => {
    project = makeProject(sampleFiles, later);
    const binary = binaryAt(realGodot);
    driver =
      mode === "engine"
        ? engineFor(project, binary, later)
        : (await editorFor(project, binary, later)).editor;
  }, START_MS);

  afterAll(async () => {
    for (const step of undo) await step();
  });

  test("gives back every file that was, to the byte but for ids of resources, and redo every file that followed", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("level.tscn", "hard_level.tscn"),
        fc.array(fc.array(edits, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
        async (file, batches) => {
          const scene = `res://${file}`;
          const saved = () => resourcesByPath(readFileSync(project.path(file), "utf8"));
          expect(await driver.request("scene.save", { scene })).toEqual({
            ok: true,
            value: { scene, saved: true },
          });
          const states = [saved()];
          for (const batch of batches) {
            const paths = await nodePaths(driver, scene);
            const answer = await driver.request("scene.edit", { scene, edits: named(batch, paths) });
            if (answer.ok) states.push(saved());
            else {
              expect(answer.failure).not.toMatchObject({ code: "E_INTERNAL" });
              expect(saved()).toBe(states.at(-1));
            }
          }
          for (const state of states.toReversed().slice(1)) {
            expect(await driver.request("scene.undo", { scene })).toMatchObject({ ok: true });
            expect(saved()).toBe(state);
          }
          for (const state of states.slice(1)) {
            expect(await driver.request("scene.redo", { scene })).toMatchObject({ ok: true });
            expect(saved()).toBe(state);
          }
          for (const _ of states.slice(1))
            expect(await driver.request("scene.undo", { scene })).toMatchObject({ ok: true });
        },
      ),
      { numRuns: 12, endOnFailure: true },
    );
  }, 300_000);
});

/** Godot may give a resource another id when a second one has come and gone: here they are called by their paths. */
function resourcesByPath(scene: string): string {
  const resources = scene.matchAll(/^\[ext_resource .*path="([^"]*)" id="([^"]*)"\]$/gm);
  return [...resources].reduce((text, [, path, id]) => text.replaceAll(`"${id}"`, `"${path}"`), scene);
}

function named(batch: readonly SceneEdit[], paths: readonly string[]): SceneEdit[] {
  return JSON.parse(JSON.stringify(batch), (_, value) =>
    typeof value === "string" && value.startsWith("#") ? paths[Number(value.slice(1)) % paths.length] : value,
  );
}

async function nodePaths(driver: RawGodotDriver, scene: string): Promise<string[]> {
  const read = await driver.request("scene.tree", { scene });
  if (!read.ok) throw new Error(JSON.stringify(read.failure));
  const walk = (node: TreeNode, path: string): string[] => [
    path,
    ...(node.children ?? []).flatMap((child) =>
      walk(child, path === "." ? child.name : `${path}/${child.name}`),
    ),
  ];
  return walk(read.value.root, ".");
}
