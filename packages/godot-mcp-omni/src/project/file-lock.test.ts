import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { takeLock } from "./file-lock.ts";

describe("a lock", () => {
  test("is one's own until one lets go of it", async () => {
    const file = place();
    const release = await takeLock(file);
    let isNext = false;
    const next = takeLock(file).then((taken) => {
      isNext = true;
      return taken;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isNext).toBe(false);
    release?.();
    (await next)?.();
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ["of a process that died", () => spawnSync(process.execPath, ["--version"]).pid],
    ["of an earlier process with the same id", () => process.pid],
  ])("%s is taken over", async (_, left) => {
    const file = place();
    writeFileSync(file, `${left()} ${hostname()}`);
    expect(await takeLock(file)).toBeTypeOf("function");
  });
});

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), "godot-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "lock");
}
