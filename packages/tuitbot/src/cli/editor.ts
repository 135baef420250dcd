import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/outcome";

/** Opens a text in the editor of `VISUAL` or `EDITOR` and returns the edited text. Only the user can read the file. */
export async function editText(
  text: string,
  ending: string,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<Outcome<string, string>> {
  const editor = env.VISUAL ?? env.EDITOR;
  if (editor === undefined || editor.trim() === "")
    return failed("No editor is set: set EDITOR to its name.");
  const folder = await mkdtemp(join(tmpdir(), "tuitbot-edit-"));
  try {
    const file = join(folder, `item.${ending}`);
    await writeFile(file, text, { mode: 0o600 });
    const code = await run(editor, file, env);
    if (code !== 0) return failed(`The editor ${editor} ended with an error. Nothing was changed.`);
    return ok(await readFile(file, "utf8"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `EDITOR` may include options, so the shell parses it; the file is a separate argument. */
function run(editor: string, file: string, env: Readonly<NodeJS.ProcessEnv>): Promise<number | undefined> {
  const [program, args] =
    process.platform === "win32"
      ? ([`${editor} "${file}"`, []] as const)
      : (["/bin/sh", ["-c", `${editor} "$1"`, "sh", file]] as const);
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      stdio: "inherit",
      env: { ...env },
      shell: process.platform === "win32",
    });
    child.once("error", () => resolve(undefined));
    child.once("exit", (code) => resolve(code ?? undefined));
  });
}
