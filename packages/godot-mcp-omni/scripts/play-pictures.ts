import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { displayGodot } from "../test/display-godot.ts";
import { pictureBlocks } from "../test/story.ts";
import { MOSS_CAVES, NIGHT_GUARD, playThrough } from "../test/two-games.ts";

/**
 * Makes, plays, breaks, fixes and ships both games of the tests over MCP, and saves their screenshots for the docs:
 * `npx node --conditions=toolpact-source packages/godot-mcp-omni/scripts/play-pictures.ts`. Reports are shown by Chromium.
 */
const folder = join(import.meta.dirname, "../../../docs/pictures");
mkdirSync(folder, { recursive: true });

/** The screenshots that docs/godot-play.md shows. */
const KEPT = [
  ...["menu", "changed", "film", "before", "after"].map((name) => `godot-play-2d-${name}.png`),
  "godot-play-3d-there.png",
  "godot-play-2d-fixed-light.png",
  "godot-play-3d-fixed-dark.png",
];

for (const plan of [MOSS_CAVES, NIGHT_GUARD]) {
  const base = mkdtempSync(join(tmpdir(), "godot-play-"));
  const project = join(base, "game");
  mkdirSync(project);
  const client = new Client({ name: "play", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [
        "--conditions=toolpact-source",
        join(import.meta.dirname, "../src/main.ts"),
        ...["--project", project, "--trust", "serve", "--toolsets", "all"],
      ],
      env: { PATH: process.env.PATH ?? "", HOME: base, GODOT_PATH: displayGodot ?? "" },
      stderr: "inherit",
    }),
  );
  const began = performance.now();
  try {
    await playThrough(
      plan,
      async (tool, args) =>
        pictureBlocks(await client.callTool({ name: tool, arguments: args }, { timeout: 240_000 })),
      (name, content) => {
        const isPage = name.endsWith(".html");
        if (isPage) showPage(base, name, content);
        else if (KEPT.includes(name)) writeFileSync(join(folder, name), content);
        console.log(`${name}: ${content.length} bytes`);
      },
    );
    console.log(`${plan.name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  } finally {
    await client.close();
    rmSync(base, { recursive: true, force: true });
  }
}

/** A picture of a page in light and in dark. */
function showPage(base: string, name: string, page: Buffer): void {
  const file = join(base, name);
  writeFileSync(file, page);
  for (const [scheme, flags] of [
    ["light", []],
    ["dark", ["--blink-settings=preferredColorScheme=0"]],
  ] as const) {
    const picture = name.replace(".html", `-${scheme}.png`);
    if (!KEPT.includes(picture)) continue;
    execFileSync(
      process.env.CHROMIUM ?? "chromium",
      [
        ...["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1080,1500"],
        ...flags,
        `--screenshot=${join(folder, picture)}`,
        `file://${file}`,
      ],
      { stdio: "ignore", timeout: 60_000 },
    );
  }
}
