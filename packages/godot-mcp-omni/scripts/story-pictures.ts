import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { displayGodot } from "../test/display-godot.ts";
import { pictureBlocks, playStory } from "../test/story.ts";

/** Plays the story of the tests and saves its screenshots for the README: `npx node --conditions=toolpact-source …`. */
const folder = join(import.meta.dirname, "../../../docs/pictures");
const base = mkdtempSync(join(tmpdir(), "godot-story-"));
mkdirSync(folder, { recursive: true });

const client = new Client({ name: "story", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [
      "--conditions=toolpact-source",
      join(import.meta.dirname, "../src/main.ts"),
      ...["--project", base, "serve", "--toolsets", "all"],
    ],
    env: { PATH: process.env.PATH ?? "", HOME: base, GODOT_PATH: displayGodot ?? "" },
    stderr: "inherit",
  }),
);
try {
  await playStory(
    async (tool, args) => pictureBlocks(await client.callTool({ name: tool, arguments: args })),
    (name, png) => {
      writeFileSync(join(folder, `godot-story-${name}.png`), png);
      console.log(`godot-story-${name}.png: ${png.length} bytes`);
    },
  );
} finally {
  await client.close();
  rmSync(base, { recursive: true, force: true });
}
