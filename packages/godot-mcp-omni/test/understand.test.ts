import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@toolpact/contract";
import { XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { openTestServer, type TestServer } from "./server-project.ts";
import { LINKED } from "./understand-project.ts";

const linked = () => openTestServer({ files: LINKED });

async function ask(server: TestServer, action: string, args: JsonObject = {}) {
  const answer = await server.call("godot_understand", { action, ...args });
  expect(server.bugs).toEqual([]);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  // The output schema is checked in every call.
  return answer.result as JsonObject;
}

const uses = async (server: TestServer, args: JsonObject) =>
  (
    (await ask(server, "uses", args)).uses as { path: string; line: number; kind: string; breaks?: boolean }[]
  ).map(({ path, line, kind, breaks }) => `${path}:${line} ${kind}${breaks ? " breaks" : ""}`);

describe("who uses a file", () => {
  it("is found by uid where the path is an old one, and by path", async () => {
    expect(await uses(linked(), { path: "res://enemies/enemy.tscn" })).toEqual([
      "res://main.tscn:3 instance",
      "res://enemies/boss.tscn:3 inherits",
    ]);
  });

  it("is found through preload and extends with a relative path, and by class name", async () => {
    const server = linked();
    expect(await uses(server, { path: "res://enemies/boss.tscn" })).toEqual([
      "res://main.gd:3 preload breaks",
      "res://enemies/boss.gd:3 preload breaks",
    ]);
    expect(await uses(server, { path: "res://enemies/enemy.gd" })).toEqual([
      "res://enemies/boss.gd:1 extends breaks",
      "res://enemies/enemy.tscn:3 script breaks",
    ]);
    expect(await uses(server, { path: "res://weapons/weapon.gd" })).toEqual([
      "res://main.gd:9 class",
      "res://weapons/sword.tres:3 script breaks",
    ]);
    expect(await uses(server, { path: "res://auto/score.gd" })).toEqual([
      "res://main.gd:8 autoload",
      "res://project.godot:9 autoload breaks",
    ]);
  });

  it("is said of a whole folder, without what is inside of it", async () => {
    expect(await uses(linked(), { path: "res://enemies" })).toEqual([
      "res://main.gd:3 preload breaks",
      "res://main.tscn:3 instance",
    ]);
  });
});

describe("who names", () => {
  it.each<[string, JsonObject, string[]]>([
    [
      "a signal",
      { name: "died" },
      [
        "res://main.gd:14 signal used",
        "res://main.tscn:18 signal connected",
        "res://enemies/enemy.gd:4 signal declared",
        "res://enemies/enemy.gd:10 signal used",
        "res://enemies/enemy.gd:11 signal in a text",
      ],
    ],
    ["a group", { name: "enemies" }, ["res://main.gd:13 group used", "res://main.tscn:10 group declared"]],
    [
      "an input action",
      { name: "jump" },
      ["res://main.gd:12 action used", "res://project.godot:13 action declared"],
    ],
    [
      "a method",
      { name: "hit" },
      [
        "res://enemies/boss.gd:7 method in a text",
        "res://enemies/boss.gd:8 method used",
        "res://enemies/enemy.gd:9 method declared",
      ],
    ],
    [
      "a node",
      { name: "Bar" },
      ["res://main.gd:4 node used", "res://main.tscn:11 node used", "res://main.tscn:15 node declared"],
    ],
    [
      "a class",
      { name: "Weapon" },
      ["res://main.gd:9 class used", "res://weapons/weapon.gd:1 class declared"],
    ],
  ])("%s", async (_, args, expected) => {
    expect(await uses(linked(), args)).toEqual(expected);
  });
});

describe("problems", () => {
  const problems = async (server: TestServer, kind: string) =>
    (await ask(server, "problems", { problem: kind })).problems as JsonObject[];

  it("are files that nothing leads to, and the lines that may load them all the same", async () => {
    const result = await ask(linked(), "problems", { problem: "unused" });
    expect((result.problems as JsonObject[]).map(({ path, usedBy }) => [path, usedBy])).toEqual([
      ["res://art/hero.png", undefined],
      ["res://levels/2.tscn", undefined],
      ["res://loop/a.tscn", ["res://loop/b.tscn"]],
      ["res://loop/b.tscn", ["res://loop/a.tscn"]],
    ]);
    expect(result.computedLoads).toEqual([{ path: "res://main.gd", line: 11 }]);
  });

  it("are missing files, with one that differs in case", async () => {
    expect(await problems(linked(), "missing")).toEqual([
      { path: "res://main.gd", line: 18, to: "res://gone.txt", as: "text" },
      {
        path: "res://main.tscn",
        line: 5,
        to: "res://art/Hero.png",
        as: "resource",
        similar: "res://art/hero.png",
      },
    ]);
  });

  it("are cycles, and those of scenes that contain each other are fatal", async () => {
    expect(await problems(linked(), "cycles")).toEqual([
      { path: "res://loop/a.tscn", files: ["res://loop/a.tscn", "res://loop/b.tscn"], isFatal: true },
      {
        path: "res://enemies/boss.gd",
        files: ["res://enemies/boss.gd", "res://enemies/boss.tscn"],
        isFatal: false,
      },
    ]);
  });
});

describe("the graph", () => {
  it("is a picture of what is around a file", async () => {
    const { mermaid } = await ask(linked(), "graph", { path: "res://enemies/boss.tscn", format: "mermaid" });
    expect(mermaid).toMatchInlineSnapshot(`
      "flowchart LR
        n0["enemies/boss.tscn"]
        n1["enemies/enemy.tscn"]
        n2("enemies/boss.gd")
        n3("main.gd")
        n0 -->|inherits| n1
        n0 -->|script| n2
        n3 -->|preload| n0
        n2 -->|preload| n0"
    `);
  });

  it("is an SVG image too, whatever the files are called", async () => {
    const odd = `a<b>&"'${String.fromCharCode(7)}]]>.gd`;
    const server = openTestServer({ files: { ...LINKED, [odd]: 'extends "res://main.gd"\n' } });
    const { svg } = await ask(server, "graph", { format: "svg" });
    expect(XMLValidator.validate(String(svg))).toBe(true);
    expect(svg).toContain("enemies/boss.tscn");
    expect(svg).toContain("a&#60;b&#62;&#38;&#34;&#39;\uFFFD]]&#62;.gd");
  });

  it("comes in pages that together are all of it", async () => {
    const server = linked();
    const whole = await ask(server, "graph", { limit: 5000 });
    const edges: JsonObject[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: JsonObject = await ask(server, "graph", { offset, limit: 4 });
      edges.push(...(page.edges as JsonObject[]));
      offset = page.nextOffset as number | undefined;
    }
    expect(edges).toEqual(whole.edges);
    expect(edges.length).toBe(whole.total);
  });

  it("is drawn by folder where there are too many files", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [
        `d${index % 3}/f${index}.gd`,
        `extends Node\nconst A = preload("res://d${(index + 1) % 3}/f${(index + 1) % 150}.gd")\n`,
      ]),
    );
    const server = openTestServer({ files: { ...LINKED, ...many } });
    const { mermaid } = await ask(server, "graph", { format: "mermaid" });
    expect(mermaid).toContain('[/"d0/"/]');
    expect(mermaid).not.toContain("f1.gd");
  });

  it("summarizes the project", async () => {
    expect(await ask(linked(), "overview")).toMatchObject({
      kinds: { scene: 7, script: 5, resource: 1, image: 1 },
      mainScene: "res://main.tscn",
      autoloads: [{ name: "Score", path: "res://auto/score.gd" }],
      classes: [
        { name: "Enemy", path: "res://enemies/enemy.gd" },
        { name: "Weapon", path: "res://weapons/weapon.gd" },
      ],
      actions: ["jump"],
      groups: ["enemies"],
      connections: 1,
      problems: { unused: 4, missing: 2, cycles: 2, unread: 0 },
      computedLoads: 1,
    });
  });
});

describe("a file that changes", () => {
  it("is read again, with its new uid, class and users", async () => {
    const server = linked();
    await ask(server, "overview");
    server.write(
      "enemies/enemy.gd",
      (LINKED["enemies/enemy.gd"] ?? "").replace("class_name Enemy", "class_name Foe"),
    );
    server.write("other.gd", "extends Foe\n");
    expect(await uses(server, { path: "res://enemies/enemy.gd" })).toContain("res://other.gd:1 extends");
    await server.call("godot_code", {
      action: "file.write",
      path: "res://levels/2.tscn",
      content:
        '[gd_scene format=3]\n\n[ext_resource type="Script" path="res://other.gd" id="1"]\n\n[node name="A" type="Node"]\n',
      overwrite: true,
    });
    expect(await uses(server, { path: "res://other.gd" })).toEqual(["res://levels/2.tscn:3 script breaks"]);
  });
});

describe("a hostile project", () => {
  it("is read as far as it can be, never outside of itself, and says what was not read", async () => {
    const outside = openTestServer();
    const huge = `extends Node\n${'var a = 1 + 2 # preload("res://x.gd")\n'.repeat(260_000)}const B = preload("res://levels/2.tscn")\n`;
    const server = openTestServer({
      files: {
        ...LINKED,
        "broken.tscn": "[gd_scene format=3]\n[node name=",
        "not_text.gd": "extends Node\0\n",
        "deep.tres": `[gd_resource type="Resource"]\n\n[resource]\na = ${"[".repeat(5_000)}\n`,
        "open.gd": `extends Node\nvar text = "never closed\nconst C = preload("res://levels/1.tscn")\nvar more = """also never`,
        "long.gd": `var text = "${"x".repeat(8_000_000)}"\nconst D = preload("res://levels/1.tscn")\n`,
        "huge.gd": huge,
        "self.gd": 'extends "res://self.gd"\n',
        "chain/0.gd": "extends Node\n",
        ...Object.fromEntries(
          Array.from({ length: 1_000 }, (_, index) => [`chain/${index + 1}.gd`, `extends "${index}.gd"\n`]),
        ),
        'odd "name" <b>#&.gd': "extends Node\n",
      },
    });
    symlinkSync(outside.root, path.join(server.root, "away"));
    symlinkSync(path.join(outside.root, "player.gd"), path.join(server.root, "linked.gd"));
    symlinkSync(server.root, path.join(server.root, "round"));
    writeFileSync(path.join(server.root, "packed.res"), Buffer.from("RSCC\0\0res://hidden.gd"));
    writeFileSync(path.join(server.root, "plain.scn"), Buffer.from("RSRC\0\0\0res://levels/2.tscn\0\0"));
    mkdirSync(path.join(server.root, ".godot"), { recursive: true });
    writeFileSync(path.join(server.root, ".godot/secret.gd"), 'const A = preload("res://main.tscn")\n');
    const unread = (await ask(server, "problems", { problem: "unread" })).problems as JsonObject[];
    expect(unread.map(({ path }) => path)).toEqual([
      "res://broken.tscn",
      "res://deep.tres",
      "res://not_text.gd",
      "res://packed.res",
    ]);
    expect(await uses(server, { path: "res://levels/2.tscn" })).toEqual([
      "res://huge.gd:260002 preload breaks",
      "res://plain.scn:1 resource breaks",
    ]);
    expect(await uses(server, { path: "res://levels/1.tscn" })).toEqual([
      "res://long.gd:2 preload breaks",
      "res://open.gd:3 preload breaks",
      "res://weapons/sword.tres:7 text breaks",
    ]);
    const all = JSON.stringify(await ask(server, "graph", { limit: 5000 }));
    for (const place of ["away", "linked.gd", "round", "/.godot", "unseen"]) expect(all).not.toContain(place);
    const { problems } = await ask(server, "problems", { problem: "cycles" });
    expect(problems).toContainEqual({ path: "res://self.gd", files: ["res://self.gd"], isFatal: true });
    await ask(server, "graph", { format: "mermaid" });
    expect(existsSync(path.join(server.root, ".godot_mcp/journal"))).toBe(false);
  });
});

describe("a search", () => {
  const search = async (server: TestServer, args: JsonObject) =>
    ((await ask(server, "search", args)).matches as JsonObject[]).map(({ path, line, kind, name, text }) =>
      [`${path}:${line}`, kind, name ?? text].filter((part) => part !== undefined).join(" "),
    );

  it("finds lines, each once, in any case or in the one that is given", async () => {
    const server = linked();
    expect(await search(server, { query: "DIED", folder: "res://enemies" })).toEqual([
      "res://enemies/enemy.gd:4 signal died",
      "res://enemies/enemy.gd:10 died.emit()",
      'res://enemies/enemy.gd:11 emit_signal("died")',
    ]);
    expect(await search(server, { query: "DIED", exact: true })).toEqual([]);
    expect(await search(server, { query: "Enem", word: true })).toEqual([]);
    expect(await search(server, { query: "res://gone" })).toEqual([
      'res://main.gd:18 print("res://gone.txt", level, other, Boss)',
    ]);
  });

  it("finds names, the nearest first", async () => {
    const server = linked();
    expect(await search(server, { query: "enemy", what: "symbol" })).toEqual([
      "res://main.tscn:10 node Enemy",
      "res://enemies/enemy.gd:1 class Enemy",
      "res://main.gd:17 method _on_enemy_died",
    ]);
    expect(await search(server, { query: "r", what: "variable" })).toEqual([
      "res://main.gd:4 variable bar",
      "res://enemies/enemy.gd:6 variable target",
    ]);
  });

  it("finds İ and other letters that change their length in lower case where they are", async () => {
    const server = openTestServer({ files: { ...LINKED, "turkish.gd": "# İİİ\nvar Needle = 1\n" } });
    expect(await search(server, { query: "needle" })).toEqual(["res://turkish.gd:2 var Needle = 1"]);
  });
});
