import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type OperationId, operations } from "@toolpact/x-api/operations";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handlers } from "../src/operations/handlers.ts";
import { type Program, startProgram } from "./program.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"))].map(([, code = ""]) => code);

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
if (!hasCurl) console.warn("SKIPPED: the README's commands were not run, because curl is not installed.");

describe.skipIf(!hasCurl)("every command of the README runs", () => {
  let program: Program;

  beforeAll(async () => {
    program = await startProgram("--seed", "7");
  });

  afterAll(() => program.stop());

  test.each(blocks("sh").flatMap((block) => block.trim().split("\n")))("%s", (command) => {
    const { url, access_token } = program.greeting;
    const { stdout, status } = spawnSync("bash", ["-o", "pipefail", "-c", command], {
      encoding: "utf8",
      maxBuffer: 64 * 1_048_576,
      env: { ...process.env, URL: url, TOKEN: access_token },
    });
    expect(status).toBe(0);
    const isRefusal = command.includes("grep");
    if (!isRefusal) expect(JSON.parse(stdout)).not.toHaveProperty("error");
  });
});

test.each(blocks("ts"))("the README's code runs", (code) => {
  const { stderr, status } = spawnSync(
    process.execPath,
    ["--conditions=toolpact-source", "--input-type=module-typescript", "--eval", code],
    { encoding: "utf8", cwd: fileURLToPath(new URL("../../..", import.meta.url)) },
  );
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

test("the README has the right number of operations", () => {
  const served = Object.keys(operations).filter((id) => handlers[id as OperationId] !== undefined).length;
  expect(readme).toContain(
    `| ${served} of X's are served; the other ${Object.keys(operations).length - served} answer 501`,
  );
});
