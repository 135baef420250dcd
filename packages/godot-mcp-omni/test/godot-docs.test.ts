import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openDocs } from "../src/godot/docs.ts";
import { binaryAt, START_MS } from "./godot-project.ts";
import { realGodot } from "./real-godot.ts";

describe.skipIf(!realGodot)("the class reference of the user's Godot", () => {
  const base = mkdtempSync(join(tmpdir(), "docs-test-"));
  const folder = join(base, "docs");
  const env = { PATH: process.env.PATH, HOME: base };
  const binary = { ...binaryAt(realGodot), version: "4.x.test" };
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  test(
    "is written down once, in the cache and nowhere else",
    async () => {
      const docs = await openDocs({ binary, env, folder });
      expect(docs).toMatchObject({ ok: true, value: { version: "4.x.test" } });
      expect(readdirSync(folder)).toEqual(["4.x.test"]);
      expect(existsSync(join(folder, "4.x.test/Sprite2D.json"))).toBe(true);
      // From now on no Godot is needed.
      const again = await openDocs({ binary: { ...binary, path: "/nowhere" }, env, folder });
      expect(again.ok).toBe(true);
    },
    START_MS,
  );

  test("tells of classes and of members, inherited ones too, in plain words", async () => {
    const docs = await openDocs({ binary, env, folder });
    if (!docs.ok) throw new Error(docs.failure.message);
    const sprite = await docs.value.lookUp("Sprite2D");
    expect(sprite).toMatchObject({ value: { name: "Sprite2D", inherits: "Node2D" } });
    if (sprite.ok) {
      expect(sprite.value.description?.length).toBeGreaterThan(20);
      expect(sprite.value.properties?.map((property) => property.signature)).toContain(
        "centered: bool = true",
      );
      expect(JSON.stringify(sprite)).not.toMatch(/\[(?:code|member|param|codeblock)/);
    }
    expect(await docs.value.lookUp("Sprite2D", "rotate")).toMatchObject({
      value: { name: "Node2D", methods: [{ signature: "rotate(radians: float) -> void" }] },
    });
    expect(await docs.value.lookUp("Sprite2")).toMatchObject({
      failure: { code: "E_NOT_FOUND", suggestedFix: "Did you mean Sprite2D?" },
    });
    expect(docs.value.search("move slide", 2)).toEqual([
      { name: "CharacterBody2D", member: "move_and_slide", kind: "methods" },
      { name: "CharacterBody3D", member: "move_and_slide", kind: "methods" },
    ]);
  });
});
