import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { failed, ok } from "@toolpact/contract/outcome";
import { cacheFolder } from "../godot/environment.ts";
import { packageFolder } from "../godot/package-folder.ts";
import { command } from "./context.ts";

const PARTS = ["gl", "vulkan", "xvfb", "template"] as const;

export const getGodot = command({
  name: "get-godot",
  describe: "Download Godot 4 for this user, without root (Debian and its derivatives)",
  details:
    "Uses the mirror that apt is configured with, checks the checksums of the packages and, if gpgv is installed, the signature.",
  options: {
    dest: { kind: "value", placeholder: "FOLDER", describe: "Target folder; the user's cache by default" },
    with: {
      kind: "list",
      placeholder: "PARTS",
      describe: "Additional parts: OpenGL, Vulkan, a virtual display, an export template",
      choices: PARTS,
    },
  },
  examples: [
    { line: "godot-mcp-omni get-godot", does: "downloads it and prints its path" },
    { line: "godot-mcp-omni get-godot --with gl,xvfb", does: "also what screenshots need" },
    {
      line: "godot-mcp-omni get-godot --with template",
      does: "also what release builds for this machine need",
    },
  ],
  async run({ dest, with: parts }, { terminal, machine, signal, isJson }) {
    const script = join(packageFolder, "scripts", "get-godot.sh");
    if (machine.platform !== "linux" || !existsSync(script))
      return failed({
        message: "Godot can be downloaded on Debian and its derivatives only.",
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
        message: "Godot could not be downloaded.",
        fix: "See the error above, or install Godot 4 yourself and set GODOT_PATH to it.",
      });
    const template = parts?.includes("template") ? join(dirname(godot), "godot-template-release") : undefined;
    const use = `Set GODOT_PATH=${godot}, or start with --godot ${godot}.`;
    // The template refers to its libraries by absolute paths, so builds run on this machine only.
    const build = `For release builds that run on this machine, set custom_template/release of a preset to ${template}.`;
    return ok({
      text: [godot, "", use, ...(template === undefined ? [] : [build])].join("\n"),
      json: { godot, ...(template !== undefined && { template }) },
    });
  },
});
