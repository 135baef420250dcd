import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAvailable } from "../src/fetched-servers.ts";
import { GOALS } from "../src/goals.ts";
import { costIsKnown } from "../src/measure/process-cost.ts";
import { METRICS, type Transport } from "../src/metrics.ts";
import type { BenchResult, ServerFigures } from "../src/result.ts";
import { TARGETS, type Target } from "../src/targets.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const run = promisify(execFile);
let folder: string;
let result: BenchResult;
let printed: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "toolpact-bench-"));
  const json = join(folder, "result.json");
  printed = (await run(process.execPath, [main, "--quick", "--json", json])).stdout;
  result = JSON.parse(readFileSync(json, "utf8"));
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true }));

function figuresOver(transport: Transport): ServerFigures["figures"] {
  return result.servers.find((one) => one.transport === transport)?.figures ?? {};
}

describe("a quick run", () => {
  test.each(["stdio", "http"] as const)("has every figure of every server over %s", (transport) => {
    const figures = figuresOver(transport);
    const known = Object.keys(METRICS).filter((metric) => costIsKnown || !/Cpu|memory/.test(metric));
    const served = TARGETS.filter((target: Target) => target.transports?.includes(transport) ?? true);
    for (const { name } of served.filter(({ name }) => isAvailable(name)))
      for (const metric of known)
        expect(figures[name], `${name} ${metric}`).toHaveProperty(metric, expect.any(Number));
  });

  test("lists the same tools in about as many bytes as the bare SDK, with and without output schemas", () => {
    const { toolpact, "sdk-v2": bare } = figuresOver("stdio");
    expect(Number(toolpact?.listBytes) / Number(bare?.listBytes)).toBeLessThan(1.1);
    expect(Number(toolpact?.inputListBytes) / Number(bare?.inputListBytes)).toBeLessThan(1);
    expect(Number(toolpact?.inputListBytes)).toBeLessThan(Number(toolpact?.listBytes));
  });

  test.skipIf(!costIsKnown)("judges every goal", () => {
    expect(result.goals).toHaveLength(GOALS.length);
  });

  test("has the rows of the other packages", () => {
    expect(result.sections.map(({ name, rows }) => [name, rows.length > 0])).toEqual([
      ["tuitbot", true],
      ["growth", true],
      ["gate", true],
      ["clients of 2025-11-25", true],
      ["sign-in", true],
      ["godot-mcp-omni", true],
    ]);
  });

  test("prints its results, and that a quick run is no measurement", () => {
    expect(printed).toContain("its figures mean nothing");
    for (const { title } of Object.values(METRICS)) expect(printed).toContain(title);
  });
});
