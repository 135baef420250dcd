import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Clock, systemClock } from "@toolpact/contract";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildCSharp } from "../src/language/csharp-build.ts";
import { Project } from "../src/project/project.ts";
import { realGodot } from "./real-godot.ts";
import { GAME, openTestServer } from "./server-project.ts";

const SCRIPT = `using Godot;

// [Export] public int Hidden = 3;
public partial class Hero : CharacterBody2D
{
    [Signal] public delegate void DiedEventHandler();

    [Export] public float Speed { get; set; } = 3.5f;
    [Export(PropertyHint.Range, "0,10")]
    public int Lives = 3;
    [Export] public Vector2I Cell;
    [Export] private PackedScene Bullet;

    public override void _Ready() { }
}
`;

describe("a script in C#", () => {
  test("is made by the class it extends, in a class of its file's name", async () => {
    const server = openTestServer();
    const made = await server.call("godot_code", {
      action: "script.create",
      path: "res://Enemy.cs",
      extends: "Node2D",
    });
    expect(made).toMatchObject({ ok: true });
    expect(server.read("Enemy.cs")).toContain("public partial class Enemy : Node2D\n");
  });

  test("has exports that files read: values of their types are taken, others refused, and unknown names named", async () => {
    const server = openTestServer({ files: { ...GAME, "Hero.cs": SCRIPT } });
    const scene = "res://main.tscn";
    const attach = { action: "attach_script", scene, node: "Player", script: "res://Hero.cs" };
    expect(await server.call("godot_scene", attach)).toMatchObject({ ok: true });
    const set = (properties: Record<string, unknown>) =>
      server.call("godot_scene", {
        action: "update",
        scene,
        node: "Player",
        properties: properties as never,
      });
    expect(await set({ Speed: 4, Lives: 5, Cell: [1, 2], Bullet: "res://enemy.tscn" })).toMatchObject({
      ok: true,
    });
    expect(server.read("main.tscn")).toMatch(
      /\nSpeed = 4\.0\nLives = 5\nCell = Vector2i\(1, 2\)\nBullet = ExtResource/,
    );
    expect(await set({ Lives: "many" })).toMatchObject({ ok: false, error: { code: "E_SCHEMA_VALIDATION" } });
    // Another file may have a part of the class.
    expect(await set({ Hidden: 1 })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('"Hidden" could not be checked')],
    });
    expect(
      await server.call("godot_inspector", {
        action: "signals.list",
        scene,
        node: "Player",
        contains: "Died",
      }),
    ).toMatchObject({ result: { signals: [{ name: "Died" }] } });
  });

  test.skipIf(realGodot === undefined)(
    "is not checked by a Godot binary without .NET, which is said",
    async () => {
      const server = openTestServer({
        files: { ...GAME, "Hero.cs": SCRIPT },
        flags: { godot: realGodot ?? "" },
      });
      expect(
        await server.call("godot_diagnostics", { action: "scripts", paths: ["res://Hero.cs"] }),
      ).toMatchObject({
        ok: false,
        error: { code: "E_UNSUPPORTED", message: expect.stringContaining("has no .NET") },
      });
      expect(
        await server.call("godot_understand", {
          action: "language",
          path: "res://Hero.cs",
          ask: "diagnostics",
        }),
      ).toMatchObject({ ok: false, error: { code: "E_UNSUPPORTED" } });
      server.write("Game.csproj", CSPROJ);
      expect(await server.call("godot_diagnostics", { action: "scripts" })).toMatchObject({
        ok: true,
        result: { scripts: 1, errors: 0 },
        warnings: [expect.stringContaining("C# was not checked: Godot")],
      });
    },
  );
});

const CSPROJ = '<Project Sdk="Godot.NET.Sdk/4.6.3" />';
const FILES = { ...GAME, "Hero.cs": SCRIPT, "Game.csproj": CSPROJ };

/**
 * No .NET was at hand: `dotnet` is a stand-in that writes lines in the format that MSBuild documents, and Godot one that
 * tells the version of a .NET build.
 */
describe.skipIf(process.platform === "win32")(
  "a build of C#, NOT RUN WITH A REAL .NET but with stand-ins",
  () => {
    const standIns = (dotnet: string | undefined, version = "4.6.3.stable.mono.official.0a1b2c3") => {
      const bin = mkdtempSync(path.join(os.tmpdir(), "stand-ins-"));
      onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
      const called = path.join(bin, "called");
      const program = (name: string, text: string) =>
        writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      program("godot", `echo ${version}`);
      if (dotnet !== undefined) program("dotnet", `printf '%s\\n' "$@" > ${called}\n${dotnet}`);
      const hasDotNet = version.includes("mono");
      return {
        bin,
        binary: { path: path.join(bin, "godot"), version, hasDotNet, origin: "config" as const },
        called: () => (existsSync(called) ? readFileSync(called, "utf8").trimEnd().split("\n") : undefined),
        server: (files: Readonly<Record<string, string>> = FILES, flags = {}) =>
          openTestServer({
            files,
            flags: { godot: path.join(bin, "godot"), ...flags },
            // A dotnet of this machine must not be found.
            env: { PATH: `${bin}${path.delimiter}/nowhere` },
          }),
      };
    };
    const check = { action: "scripts", paths: ["res://Hero.cs"] };
    const unsupported = (message: string) => ({
      ok: false,
      error: {
        code: "E_UNSUPPORTED",
        message: expect.stringContaining(message),
        suggestedFix: expect.any(String),
      },
    });

    test("gives the errors of the named file and of the project, and a word about the others", async () => {
      const { server, called } = standIns(`
echo "$PWD/Hero.cs(12,28): error CS1002: ; expected [$PWD/Game.csproj]"
echo "$PWD/Hero.cs(12,28): error CS1002: ; expected [$PWD/Game.csproj]"
echo "$PWD/Hero.cs(8): warning CS0168: never used [$PWD/Game.csproj]"
echo "$PWD/ui/Menu.cs(1,1): error CS0246: no type [$PWD/Game.csproj]"
echo "CSC : error CS0006: no System.dll [$PWD/Game.csproj]"
exit 1`);
      const { call, root } = server();
      expect(await call("godot_diagnostics", check)).toMatchObject({
        ok: true,
        result: {
          scripts: 1,
          errors: 2,
          warnings: 1,
          problems: [
            { path: "res://Hero.cs", line: 12, severity: "error", message: "CS1002: ; expected" },
            { path: "res://Game.csproj", line: 0, severity: "error", message: "CS0006: no System.dll" },
            { path: "res://Hero.cs", line: 8, severity: "warning", message: "CS0168: never used" },
          ],
        },
        warnings: ["The build has errors in 1 other file: res://ui/Menu.cs."],
      });
      expect(called()).toEqual(
        expect.arrayContaining(["build", path.join(root, "Game.csproj"), "-nologo", "-nodeReuse:false"]),
      );
    });

    test("lists no problems if it succeeds, and warns if its output was too long to keep", async () => {
      const well = standIns("exit 0");
      expect(await well.server().call("godot_diagnostics", check)).toMatchObject({
        summary: "1 script, no problems.",
        result: { problems: [] },
      });
      const long = standIns(
        'i=0; while [ $i -lt 9000 ]; do i=$((i+1)); echo "Hero.cs($i,1): error CS1: x"; done; exit 1',
      );
      expect(await long.server().call("godot_diagnostics", check)).toMatchObject({
        ok: true,
        warnings: expect.arrayContaining([expect.stringContaining("too much")]),
      });
    });

    test("is refused with what to do where something for it is missing", async () => {
      const noDotNet = standIns("exit 0", "4.6.3.stable.official.0a1b2c3");
      expect(await noDotNet.server().call("godot_diagnostics", check)).toMatchObject(
        unsupported("has no .NET"),
      );
      const all = standIns("exit 0");
      for (const csproj of [{}, { "Tool.csproj": '<Project Sdk="Microsoft.NET.Sdk" />' }])
        expect(
          await all.server({ ...GAME, "Hero.cs": SCRIPT, ...csproj }).call("godot_diagnostics", check),
        ).toMatchObject(unsupported("no .csproj"));
      expect(await standIns(undefined).server().call("godot_diagnostics", check)).toMatchObject(
        unsupported("no dotnet"),
      );
      expect([noDotNet.called(), all.called()]).toEqual([undefined, undefined]);
      const noSdk = standIns("echo No .NET SDKs were found.; exit 145");
      expect(await noSdk.server().call("godot_diagnostics", check)).toMatchObject(
        unsupported("ended with code 145"),
      );
    });

    test("does not run in a project that is not trusted, nor from a read-only server", async () => {
      const { server, called } = standIns("exit 0");
      for (const flags of [{ trust: false }, { "read-only": true }])
        expect(await server(FILES, flags).call("godot_diagnostics", check)).toMatchObject({
          ok: false,
          error: { code: "E_PERMISSION_DENIED" },
        });
      expect(called()).toBeUndefined();
    });

    test("is ended when its caller gives up, and when its time is over", async () => {
      const { server, bin, binary } = standIns("sleep 1000");
      const { root } = server();
      const build = (clock: Clock, signal: AbortSignal) =>
        buildCSharp({
          project: new Project(root, Date.now),
          binary,
          env: { PATH: `${bin}${path.delimiter}${process.env.PATH}`, HOME: bin },
          clock,
          signal,
        });
      expect(await build(systemClock, AbortSignal.abort())).toMatchObject({
        failure: { code: "E_TIMEOUT", message: expect.stringContaining("dotnet build was cancelled") },
      });
      const over: Clock = {
        now: () => 0,
        after(_, callback) {
          queueMicrotask(callback);
          return () => {};
        },
      };
      expect(await build(over, new AbortController().signal)).toMatchObject({
        failure: { code: "E_TIMEOUT", message: expect.stringContaining("dotnet build did not end") },
      });
    });
  },
);
