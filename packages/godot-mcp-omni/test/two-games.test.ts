import { expect, test } from "vitest";
import { displayGodot } from "./display-godot.ts";
import { startStdioServer } from "./stdio-server.ts";
import { pictureBlocks } from "./story.ts";
import { MOSS_CAVES, playThrough } from "./two-games.ts";

// The game in 3D is played by scripts/play-pictures.ts.
test.skipIf(displayGodot === undefined)(
  "a game of tiles with a menu is made, played by meaning, broken, bisected, fixed and exported over MCP alone",
  { timeout: 240_000 },
  async () => {
    const { client } = await startStdioServer({ files: {}, env: { GODOT_PATH: displayGodot ?? "" } });
    const names: string[] = [];
    await playThrough(
      MOSS_CAVES,
      async (tool, args) =>
        pictureBlocks(await client.callTool({ name: tool, arguments: args }, { timeout: 240_000 })),
      (name) => names.push(name.replace("godot-play-2d-", "")),
    );
    expect(names).toEqual(["menu.png", "changed.png", "film.png", "before.png", "after.png", "fixed.html"]);
  },
);
