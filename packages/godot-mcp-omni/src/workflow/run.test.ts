import type { JsonObject } from "@toolpact/contract";
import { describe, expect, test } from "vitest";
import { runWorkflow } from "./run.ts";
import { parseWorkflow } from "./schema.ts";
import type { ToolCalls } from "./toolbox.ts";

const DONE = { ok: true, summary: "Done.", result: {} };
const GIVEN_UP = failure("E_TIMEOUT", { aborted: true });
const SILENCE = failure("E_NOT_CONNECTED", { outcome: "unknown" });

describe("a step that may be tried again", () => {
  test("and is late is awaited, and its effect is not repeated", async () => {
    expect(await run([DONE], { timeoutMs: 1, isLate: true })).toMatchObject({
      passed: true,
      steps: [{ attempts: 1 }],
    });
  });

  test("is tried again after it was given up before anything was done", async () => {
    expect(await run([GIVEN_UP, DONE], { timeoutMs: 1, isLate: true })).toMatchObject({
      passed: true,
      steps: [{ attempts: 2 }],
    });
  });

  test.each([SILENCE, failure("E_TIMEOUT", {})])(
    "is not when nobody knows what was done: %j",
    async (answer) => {
      expect(await run([answer, DONE])).toMatchObject({ passed: false, steps: [{ attempts: 1 }] });
    },
  );

  test("is when it only reads, whatever happened", async () => {
    expect(await run([SILENCE, DONE], { changes: false })).toMatchObject({
      passed: true,
      steps: [{ attempts: 2 }],
    });
  });
});

interface RunSetup {
  readonly changes?: boolean;
  readonly timeoutMs?: number;
  /** The tool answers only after its time limit. */
  readonly isLate?: boolean;
}

async function run(
  answers: readonly JsonObject[],
  { changes = true, timeoutMs, isLate = false }: RunSetup = {},
) {
  const left = [...answers];
  const next = () => left.shift() ?? failure("E_INTERNAL", {});
  const toolbox: ToolCalls = {
    call: (_tool, _args, signal) =>
      isLate && !signal.aborted
        ? new Promise((resolve) =>
            signal.addEventListener("abort", () => setImmediate(() => resolve(next()))),
          )
        : Promise.resolve(next()),
    check: () => undefined,
    changes: () => changes,
  };
  const workflow = parseWorkflow({
    schemaVersion: 1,
    steps: [{ tool: "any", retries: 3, ...(timeoutMs !== undefined && { timeoutMs }) }],
  });
  if (!workflow.ok) throw new Error(workflow.failure.message);
  const clock = {
    now: () => 0,
    after: (_ms: number, callback: () => void) => {
      queueMicrotask(callback);
      return () => {};
    },
  };
  return runWorkflow(workflow.value, { toolbox, clock, signal: new AbortController().signal });
}

function failure(code: string, details: JsonObject): JsonObject {
  return { ok: false, summary: code, result: null, error: { code, retryable: true, details } };
}
