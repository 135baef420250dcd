import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { realGodot } from "./real-godot.ts";
import { type StdioServer, startStdioServer } from "./stdio-server.ts";

describe("two servers on one project", () => {
  it("lose none of the edits that they make in the same file", async () => {
    await editAtOnce("files", 40, {});
  }, 60_000);

  it.skipIf(!realGodot)(
    "lose none of the edits with one engine each",
    async () => {
      await editAtOnce("engine", 12, { GODOT_PATH: realGodot ?? "" });
    },
    120_000,
  );
});

async function editAtOnce(mode: string, count: number, env: Readonly<Record<string, string>>) {
  const first = await startStdioServer({ env });
  const second = await startStdioServer({ env, root: first.root });
  const work = async (server: StdioServer, name: string) => {
    const added: string[] = [];
    for (let i = 0; i < count; i++) {
      const node = `${name}${i}`;
      const answer = await server.call("godot_scene", {
        action: "create",
        scene: "res://main.tscn",
        type: "Node2D",
        name: node,
        mode,
      });
      expect(answer, node).toMatchObject({ ok: true });
      added.push(node);
    }
    return added;
  };
  const added = (await Promise.all([work(first, "First"), work(second, "Second")])).flat();
  const text = readFileSync(path.join(first.root, "main.tscn"), "utf8");
  expect(added.filter((node) => !text.includes(`name="${node}"`))).toEqual([]);
  expect(added).toHaveLength(2 * count);
}
