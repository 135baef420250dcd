import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { failed, ok } from "@toolpact/outcome";
import { cacheFolder } from "../godot/environment.ts";
import { packageFolder } from "../godot/package-folder.ts";
import { command } from "./machine.ts";

const PARTS = ["gl", "vulkan", "xvfb", "template"] as const;

export const getGodot = command({
  name: "get-godot",
  describe: "Fetch Godot 4 for this user, without root (Debian and its derivatives)",
  details:
    "Takes the packages from the mirror that this machine's apt uses, and checks Debian's signature and their hashes.",
  options: {
    dest: { kind: "value", placeholder: "FOLDER", describe: "Where to; the user's cache unless named" },
    with: {
      kind: "list",
      placeholder: "PARTS",
      describe:
        "More than a headless Godot needs: OpenGL, Vulkan, a display without a screen, an export template",
      choices: PARTS,
    },
  },
  examples: [
    { line: "godot-mcp-omni get-godot", does: "fetches it and prints its path" },
    { line: "godot-mcp-omni get-godot --with gl,xvfb", does: "with what pictures need" },
    {
      line: "godot-mcp-omni get-godot --with template",
      does: "with what release builds for this machine need",
    },
  ],
  async run({ dest, with: parts }, { terminal, machine, signal, isJson }) {
    const script = join(packageFolder, "scripts", "get-godot.sh");
    if (machine.platform !== "linux" || !existsSync(script))
      return failed({
        message: "Godot is fetched on Debian and its derivatives only.",
        fix: "Install Godot 4 yourself and set GODOT_PATH to it.",
      });
    const folder = dest ?? join(cacheFolder(terminal.env, machine.platform), "godot");
    const args = [script, "--dest", folder, ...(parts ?? []).flatMap((part) => ["--with", part])];
    const child = spawn("bash", args, { stdio: ["ignore", "pipe", "pipe"], signal });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => isJson || terminal.err(text));
    const code = await new Promise<number | null>((resolve) => {
      child.once("error", () => resolve(null));
      child.once("close", resolve);
    });
    const godot = printed.trim().split("\n").at(-1) ?? "";
    if (code !== 0 || godot === "")
      return failed({
        message: "Godot could not be fetched.",
        fix: "What went wrong is said above; else install Godot 4 yourself and set GODOT_PATH to it.",
      });
    const template = parts?.includes("template") ? join(dirname(godot), "godot-template-release") : undefined;
    const use = `Set GODOT_PATH=${godot}, or start with --godot ${godot}.`;
    // The template loads its libraries by absolute path.
    const build = `For release builds that run on this machine, let custom_template/release of a preset be ${template}.`;
    return ok({
      text: [godot, "", use, ...(template === undefined ? [] : [build])].join("\n"),
      json: { godot, ...(template !== undefined && { template }) },
    });
  },
});
