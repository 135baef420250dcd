import { expect, test } from "vitest";
import { displayGodot } from "./display-godot.ts";
import { startStdioServer } from "./stdio-server.ts";
import { pictureBlocks, playStory } from "./story.ts";

test.skipIf(displayGodot === undefined)(
  "an agent makes, plays, sees, debugs, fixes, tests and ships a game over MCP alone",
  { timeout: 180_000 },
  async () => {
    const { client } = await startStdioServer({
      files: {},
      env: { GODOT_PATH: displayGodot ?? "", ALLOW_GAME_CODE: "true" },
    });
    const names: string[] = [];
    await playStory(
      async (tool, args) => pictureBlocks(await client.callTool({ name: tool, arguments: args })),
      (name) => names.push(name),
    );
    expect(names).toEqual(["start", "moved", "grabbed"]);
  },
);
