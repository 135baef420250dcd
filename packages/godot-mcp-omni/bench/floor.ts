import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { SCENE, type ScratchProject } from "./scratch-project.ts";

/** A separate, warm program that does the minimum work of an edit for each input line. */
export interface BareProgram {
  /** Repeats the server's last change to the scene. */
  edit(): Promise<void>;
  close(): Promise<void>;
}

/** Writes the new text of the scene, flushes it to the disk and renames it, like the files driver. */
export function bareWrite({ folder, env }: ScratchProject): BareProgram {
  const script = fileURLToPath(new URL("bare-write.js", import.meta.url));
  const target = join(env.HOME ?? folder, SCENE);
  const program = started(process.execPath, [script, target], env);
  return {
    async edit() {
      await program.ask(readFileSync(join(folder, SCENE), "utf8"));
    },
    close: program.close,
  };
}

/** Adds a node and saves the scene in a warm Godot: `engine` packs and saves it, `editor` lets the editor save it. */
export async function bareGodot(
  mode: "engine" | "editor",
  godot: string,
  { folder, env }: ScratchProject,
): Promise<BareProgram> {
  const project = join(env.HOME ?? folder, "bare");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "project.godot"), "config_version=5\n");
  copyFileSync(join(folder, SCENE), join(project, SCENE));
  const script = fileURLToPath(new URL("bare-edit.gd", import.meta.url));
  const args = [
    "--headless",
    "--editor",
    "--path",
    project,
    "--script",
    script,
    "--",
    mode,
    `res://${SCENE}`,
  ];
  const program = started(godot, args, env);
  await program.ask("open");
  return {
    async edit() {
      await program.ask("add");
    },
    close: program.close,
  };
}

interface Started {
  ask(text: string): Promise<void>;
  close(): Promise<void>;
}

/** A program that answers each line of JSON with the line `done`. */
function started(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Started {
  const child: ChildProcess = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], env });
  const gone = once(child, "exit");
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  if (child.stdout !== null)
    createInterface(child.stdout).on("line", (line) => {
      if (line === "done") waiting.shift()?.resolve();
    });
  child.on("exit", (code) => {
    for (const { reject } of waiting) reject(new Error(`${dirname(command)} ended with ${code}.`));
  });
  return {
    ask: (text) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin?.write(`${JSON.stringify(text)}\n`);
      }),
    async close() {
      child.stdin?.end();
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await gone;
      clearTimeout(late);
    },
  };
}
