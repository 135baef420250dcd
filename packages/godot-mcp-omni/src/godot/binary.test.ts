import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findGodot, godotVersion } from "./binary.ts";

describe.skipIf(process.platform === "win32")("finding Godot", () => {
  test("prefers the configured binary, then GODOT_PATH, then PATH", async () => {
    const folder = temporary();
    const [config, named, onPath] = ["config", "named", "godot"].map((name) =>
      program(folder, name, "echo 4.6.3.stable.official.abc"),
    );
    const env = { HOME: folder, PATH: folder, GODOT_PATH: named };
    const search = { env, platform: process.platform };
    expect(await findGodot({ ...search, configured: config })).toMatchObject({
      value: { path: config, origin: "config", version: "4.6.3.stable" },
    });
    expect(await findGodot(search)).toMatchObject({ value: { path: named, origin: "GODOT_PATH" } });
    expect(await findGodot({ ...search, env: { ...env, GODOT_PATH: undefined } })).toMatchObject({
      value: { path: onPath, origin: "PATH" },
    });
  });

  test.each([
    ["is Godot 3", "echo 3.5.2.stable.official"],
    ["is no Godot", "echo Python 4.2"],
    ["fails", "exit 3"],
  ])("a named program that %s is refused, and nothing else is started instead", async (_, body) => {
    const folder = temporary();
    program(folder, "godot", "echo 4.6.3.stable.official.abc");
    const other = program(folder, "other", body);
    const found = await findGodot({
      env: { HOME: folder, PATH: folder, GODOT_PATH: other },
      platform: process.platform,
    });
    expect(found).toMatchObject({ ok: false, failure: { code: "E_NOT_FOUND", details: { path: other } } });
  });

  test("on PATH the one that answers as Godot 4 is taken", async () => {
    const [first, second] = [temporary(), temporary()];
    program(first, "godot", "echo 3.5.2.stable.official");
    const wanted = program(second, "godot4", "echo 4.4.stable.arch_linux");
    const found = await findGodot({
      env: { HOME: first, PATH: `${first}:${second}` },
      platform: process.platform,
    });
    expect(found).toMatchObject({ value: { path: wanted, version: "4.4.stable" } });
  });

  test("an empty GODOT_PATH switches Godot off", async () => {
    const folder = temporary();
    program(folder, "godot", "echo 4.6.3.stable.official.abc");
    expect(
      await findGodot({ env: { HOME: folder, PATH: folder, GODOT_PATH: "" }, platform: process.platform }),
    ).toMatchObject({ failure: { code: "E_UNSUPPORTED" } });
  });

  test("secrets of the server do not reach the program", async () => {
    const folder = temporary();
    const spy = program(folder, "spy", `env > "${folder}/seen"; echo 4.6.stable.official`);
    const env = {
      HOME: folder,
      PATH: process.env.PATH,
      GODOT_PATH: spy,
      GODOT_MCP_TOKEN: "s3cret",
      AWS_KEY: "s3cret",
    };
    await findGodot({ env, platform: process.platform });
    const seen = readFileSync(join(folder, "seen"), "utf8");
    expect(seen).toContain("PATH=");
    expect(seen).not.toContain("s3cret");
  });
});

test.each([
  ["4.6.3.stable.debian4.6.3+ds-2", "4.6.3.stable"],
  ["4.5.beta2.official.abc", "4.5.beta2"],
  ["Godot Engine v4.6", undefined],
  ["4.6", undefined],
])("the version in %s is %s", (line, version) => {
  expect(godotVersion(line)).toBe(version);
});

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "binary-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function program(folder: string, name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}
