import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import type { JsonObject } from "@toolpact/contract";
import { describe, expect, test } from "vitest";
import { displayGodot } from "./display-godot.ts";
import { TASKS } from "./seven-tasks.ts";
import { startStdioServer } from "./stdio-server.ts";

/** Calls that a task may take, and calls that prove it in the running game. */
const MAX_CALLS = 20;
const MAX_PROOF = 5;

const measured: string[] = [];

describe.skipIf(displayGodot === undefined)("a game that was made by calls of the default tools", () => {
  test.each(TASKS)(
    "fulfills the task $name, as another Godot finds, with all gates closed",
    async (task) => {
      const { client, root } = await startStdioServer({
        files: task.files ?? {},
        env: { GODOT_PATH: displayGodot ?? "" },
        toolsets: [],
      });
      const { tools } = await client.listTools();
      let [sent, received] = [0, 0];
      for (const [index, [tool, args, expected = {}]] of task.calls.entries()) {
        expect(tools.map(({ name }) => name)).toContain(tool);
        const answer = await client.callTool({ name: tool, arguments: args }, { timeout: 120_000 });
        const [block] = answer.content as readonly { text: string }[];
        const envelope = JSON.parse(block?.text ?? "{}") as JsonObject;
        sent += Buffer.byteLength(JSON.stringify(args));
        received += Buffer.byteLength(block?.text ?? "");
        const call = `call ${index + 1}, ${tool} ${String(args.action ?? "")}: ${block?.text.slice(0, 1500)}`;
        expect(envelope, call).toMatchObject({ ok: true, ...expected });
      }
      await client.close();
      const proof = task.calls.filter(([tool]) => tool === "godot_game").length;
      measured.push(
        `${task.name}: ${task.calls.length} calls, ${proof} of the game, ${sent} bytes sent, ${received} received`,
      );
      console.log(measured.at(-1));
      expect(task.calls.length).toBeLessThanOrEqual(MAX_CALLS);
      expect(proof).toBeLessThanOrEqual(MAX_PROOF);
      expect(await checkedByGodot(root, task.check, task.args)).toEqual([]);
    },
    300_000,
  );
});

/** Plays a copy of the project in a Godot that the server has not started, and returns the failed checks. */
async function checkedByGodot(
  root: string,
  check: string,
  args: readonly string[] = [],
): Promise<readonly string[]> {
  const base = mkdtempSync(join(tmpdir(), "godot-task-"));
  try {
    const copy = join(base, "project");
    cpSync(root, copy, {
      recursive: true,
      filter: (file) => ![".godot", ".godot_mcp"].includes(relative(root, file)),
    });
    const script = join(base, "play.gd");
    writeFileSync(
      script,
      `${readFileSync(join(import.meta.dirname, "independent-play.gd"), "utf8")}\n\n${check}`,
    );
    const run = (...words: readonly string[]) =>
      promisify(execFile)(displayGodot ?? "", ["--headless", "--path", copy, ...words], {
        env: { PATH: process.env.PATH, HOME: base },
        timeout: 120_000,
      });
    await run("--import");
    // A game without real time is as fast as the machine; --quit-after ends one whose check broke off.
    const fast = args.length > 0 ? [] : ["--fixed-fps", "60"];
    const { stdout, stderr } = await run(
      ...fast,
      "--quit-after",
      "20000",
      "--script",
      script,
      ...(args.length > 0 ? ["--", ...args] : []),
    );
    const verdict = /^CHECKED (.*)$/m.exec(stdout)?.[1];
    return [
      ...(verdict === undefined
        ? [`The check broke off: ${stdout}\n${stderr}`]
        : (JSON.parse(verdict) as string[])),
      ...[...stderr.matchAll(/^(?:SCRIPT )?ERROR: .*$/gm)].map(([line]) => line),
    ];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
