import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@toolpact/contract";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isRunning } from "../../test/is-running.ts";
import { runProcess, startProcess } from "./process.ts";

const env = { PATH: process.env.PATH ?? "" };

describe.skipIf(process.platform === "win32")("a process", () => {
  test("is killed with its child processes at the timeout", async () => {
    const folder = mkdtempSync(join(tmpdir(), "process-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "pid");
    let timeUp = () => {};
    const clock: Clock = {
      now: () => 0,
      after(_, callback) {
        timeUp = callback;
        return () => {};
      },
    };
    const run = runProcess("/bin/sh", {
      args: ["-c", `sleep 1000 & echo $! > ${file}; echo working; wait`],
      env,
      clock,
      timeoutMs: 50,
    });
    const child = await vi.waitFor(
      () => Number(readFileSync(file, "utf8").trim() || expect.fail("not yet")),
      20_000,
    );
    timeUp();
    expect(await run).toMatchObject({ failure: { code: "E_TIMEOUT", details: { output: ["working"] } } });
    await expect.poll(() => isRunning(child)).toBe(false);
  });

  test("is killed when the caller cancels", async () => {
    const run = runProcess("/bin/sleep", {
      args: ["1000"],
      env,
      clock: systemClock,
      timeoutMs: 60_000,
      signal: AbortSignal.abort(),
    });
    expect(await run).toMatchObject({ failure: { code: "E_TIMEOUT" } });
  });

  test("keeps only the last lines of its output", async () => {
    const started = startProcess("/bin/sh", {
      args: ["-c", 'i=0; while [ $i -lt 1000 ]; do i=$((i+1)); echo "line $i"; done; echo bad >&2; exit 3'],
      env,
    });
    expect(await started.exited).toEqual({ code: 3, signal: null });
    expect(started.output.length).toBeLessThanOrEqual(401);
    expect(started.output).toContain("line 1000");
    expect(started.output).toContain("bad");
  });

  test("reports why it could not be started", async () => {
    const started = startProcess("/nowhere/godot", { args: [], env });
    expect(await started.exited).toEqual({ code: null, signal: null });
    expect(started.output.join()).toContain("ENOENT");
  });
});
