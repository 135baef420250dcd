import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtPackage } from "../build.ts";
import { recordTerminal } from "../record-terminal.ts";

/** The demo, then client setup, without an account. */
export function tuitbotFirstRun(): Promise<string> {
  return firstRun("tuitbot", "tuitbot: a minute, without an account", [
    ["demo", "--fast"],
    ["mcp", "setup", "--sandbox", "--client", "cursor", "--yes"],
  ]);
}

/** In an empty home, line by line. */
async function firstRun(name: string, title: string, lines: readonly (readonly string[])[]): Promise<string> {
  const pkg = await builtPackage(name);
  const home = mkdtempSync(join(tmpdir(), "first-run-"));
  const bin = join(pkg.folder, `bin/${name}.js`);
  const places = {
    [home]: "~",
    [bin]: `…/${name}.js`,
    [process.execPath]: "…/node",
  };
  try {
    return await recordTerminal({
      title,
      columns: 114,
      steps: lines.map((args) => ({
        who: "you",
        line: ["npx", name, ...args].join(" "),
        run: async (screen) => screen(shortened(await output([bin, ...args], home), places)),
      })),
    });
  } finally {
    rmSync(home, { recursive: true });
  }
}

function output(args: readonly string[], home: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, HOME: home, TERM: "xterm-256color" };
    const line = [process.execPath, ...args].map((word) => `'${word}'`).join(" ");
    const child = spawn("script", ["-qec", line, "/dev/null"], {
      cwd: home,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    child.on("error", reject);
    child.on("close", () => resolve(text.replaceAll("\r\n", "\n")));
  });
}

function shortened(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((rest, [place, word]) => rest.replaceAll(place, word), text);
}
