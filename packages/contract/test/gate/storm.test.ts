import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInMemory } from "@toolpact/cli/testing";
import { expect, onTestFinished, test } from "vitest";
import { program } from "../../src/command/program.ts";
import { published } from "./lab.ts";

interface Report {
  readonly tools: readonly {
    tool: string;
    cases: readonly { name: string; findings: readonly string[] }[];
  }[];
  readonly skipped: readonly string[];
}

async function storm(server: readonly string[], ...words: string[]) {
  const ran = await runInMemory(program, ["storm", ...words, "--output", "json"], { server });
  // A failed command has no report.
  const report = (ran.out.includes('"tools"') ? ran.json() : { tools: [], skipped: [] }) as unknown as Report;
  return {
    ...ran,
    report,
    found: (tool: string, name: string) =>
      report.tools.find((one) => one.tool === tool)?.cases.find((one) => one.name === name)?.findings,
  };
}

function folder() {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "toolpact-storm-")));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function stormFiles(tool: string) {
  const at = folder();
  const files = join(at, "files");
  mkdirSync(files);
  writeFileSync(join(files, "a.txt"), "x");
  const args = join(at, "args.json");
  writeFileSync(
    args,
    JSON.stringify({
      edit_file: { path: join(files, "a.txt"), edits: [{ oldText: "x", newText: "xx" }] },
      write_file: { path: join(files, "b$N.txt"), content: "$N" },
    }),
  );
  const options = ["--files", files, "--args", args, "--tools", tool, "--destructive"];
  return storm(published("server-filesystem", files), ...options);
}

const LOST = ["lost answer, same process", "lost answer, new process"];

test("the filesystem server acts twice with edit_file after a lost answer", async () => {
  const { code, found } = await stormFiles("edit_file");
  expect(code).toBe(1);
  for (const name of LOST) expect(found("edit_file", name)).toEqual(["acted twice"]);
});

test("the filesystem server acts once with write_file after a lost answer, also with a moved clock", async () => {
  const { code, found } = await stormFiles("write_file");
  expect(code).toBe(0);
  for (const name of LOST) expect(found("write_file", name)).toEqual(["effect once"]);
  expect(found("write_file", "calm")).toEqual(["effect"]);
  expect(found("write_file", "moved clock")).toEqual([]);
});

test("tools that may destroy are not run without --destructive", async () => {
  const at = folder();
  const { report, code } = await storm(
    published("server-filesystem", at),
    "--files",
    at,
    "--tools",
    "write_file,list_directory",
  );
  expect(report.skipped).toEqual(["write_file"]);
  expect(report.tools.map(({ tool }) => tool)).toEqual(["list_directory"]);
  expect(code).toBe(0);
});

const BAD = `
import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
const tool = (name) => ({ name, inputSchema: { type: "object" }, annotations: { readOnlyHint: true } });
setInterval(() => {}, 1000);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") answer(id, { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "bad", version: "1" } });
  else if (method === "tools/list") answer(id, { tools: ["hang", "crash", "stay"].map(tool) });
  else if (method === "ping") answer(id, {});
  else if (method === "tools/call" && params.name === "crash") process.exit(3);
  else if (method === "tools/call" && params.name === "stay") answer(id, { content: [] });
});
`;

test("a tool that hangs, one that crashes and a server that keeps running are reported", async () => {
  const at = folder();
  const script = join(at, "bad.mjs");
  writeFileSync(script, BAD);
  const { code, found } = await storm([process.execPath, script], "--timeout", "1");
  expect(code).toBe(1);
  expect(found("hang", "calm")).toContain("hung");
  expect(found("crash", "calm")).toContain("crashed");
  expect(found("stay", "calm")).toEqual(["no effect", "kept running"]);
});

test("a server that cannot be started, and none at all, are named", async () => {
  const { code, out, err } = await storm(["no-such-program-here"]);
  expect(code).toBe(1);
  expect(out + err).toContain("The server cannot be started");
  expect(await storm([])).toMatchObject({ code: 2 });
});
