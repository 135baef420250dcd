import type { Skill } from "@toolpact/contract";
import { wordSearch } from "@toolpact/contract/internal";
import type { DescribedTool, OwnToolLine } from "../../workflow/toolbox.ts";

/** A matching action, or a tool without actions. */
interface FoundTool {
  readonly tool: string;
  readonly toolset: string;
  readonly action?: string;
  readonly describe: string;
  readonly score: number;
  readonly startOption?: string;
}

/**
 * Finds tools and actions by their names and descriptions, and by common words for their tasks; and the
 * functions that the project offers as tools.
 */
export function findTools(
  tools: readonly DescribedTool[],
  query: string,
  own: readonly OwnToolLine[] = [],
): readonly FoundTool[] {
  const entries = tools.flatMap((tool) =>
    (tool.actions.length === 0 ? [undefined] : tool.actions).map((action) => {
      const line = action === undefined ? tool.description : lineOf(tool.description, action);
      const about = `${tool.title} ${tool.description.split("\n- ")[0]}`;
      return {
        item: { tool, action, line },
        names: [action ?? tool.title, tool.name.replace("godot_", "")],
        phrases: PHRASES[action === undefined ? tool.name : `${tool.name} ${action}`] ?? [],
        text: `${line} ${about}`,
      };
    }),
  );
  const caller = tools.find(({ name }) => name === "godot_workflow");
  const functions = own.flatMap((each) =>
    caller === undefined
      ? []
      : [
          {
            item: {
              tool: caller,
              action: "tools.call",
              line: `${each.tool}: ${each.signature}. ${each.description}`,
            },
            names: [each.tool.replace(/[._]/g, " ")],
            phrases: [],
            text: each.description,
          },
        ],
  );
  return wordSearch(
    [...entries, ...functions],
    SYNONYMS,
  )(query).map(({ item: { tool, action, line }, score }) => ({
    tool: tool.name,
    toolset: tool.toolset,
    ...(action !== undefined && { action }),
    describe: line,
    score,
    ...(tool.startOption !== undefined && { startOption: tool.startOption }),
  }));
}

/** Finds guides by their name and description. */
export function findSkills(skills: readonly Skill[], query: string): readonly FoundSkill[] {
  const entries = skills.map((skill) => {
    const about = descriptionOf(skill);
    return {
      item: { name: skill.name, describe: about },
      names: [skill.name.replaceAll("-", " ")],
      text: about,
    };
  });
  return wordSearch(
    entries,
    SYNONYMS,
  )(query)
    .filter(({ score }) => score >= MIN_SCORE)
    .slice(0, MAX_SKILLS)
    .map(({ item }) => item);
}

interface FoundSkill {
  readonly name: string;
  readonly describe: string;
}

function descriptionOf({ text }: Skill): string {
  return /^description: (.+)$/m.exec(text)?.[1]?.replace(", with godot-mcp-omni", "") ?? "";
}

/** An action's line of the description: `- add(scene, type): Adds a node.` */
export function lineOf(description: string, action: string): string {
  return (
    description
      .split("\n")
      .find((line) => line.startsWith(`- ${action}(`))
      ?.slice(2) ?? ""
  );
}

const MAX_SKILLS = 2;
/** Guides that only share a word such as "game" are not shown. */
const MIN_SCORE = 20;

/** Common words for terms in the descriptions. */
const PHRASES: Readonly<Record<string, readonly string[]>> = {
  "godot_project project_setting.set": [
    "autoload singleton",
    "add an autoload",
    "resize the window",
    "window size resolution fullscreen",
    "set the main scene",
    "gravity physics settings",
    "project settings",
  ],
  "godot_project input_map.setup": ["add keys controls", "map a key to an action", "key bindings"],
  "godot_asset scene.rename": [
    "move a scene to another folder",
    "move a file",
    "rename a scene file",
    "reorganize folders",
  ],
  "godot_asset resource.create": [
    "physics material",
    "create a material metal glass gold preset",
    "audio buses music volume",
    "make a theme",
    "new resource file",
  ],
  "godot_scene create": [
    "add a node",
    "particles",
    "particle effect explosion fire smoke rain preset",
    "add a camera",
    "add a light sun lamp",
    "environment sky fog night",
    "add a sprite",
    "collision shape body",
    "audio player sound",
    "timer",
  ],
  "godot_scene place": [
    "put it on the table",
    "put on top of next to",
    "arrange in a row or grid",
    "snap to the floor",
  ],
  "godot_scene instance": ["put a scene into another", "spawn place an enemy scene"],
  "godot_scene update": ["move a node", "change color", "set position scale rotation"],
  "godot_scene undo": ["take back the last change", "revert"],
  "godot_inspector connect_signal": ["button click calls function", "connect a signal event handler"],
  "godot_inspector set_collision_layer": ["collision mask layer"],
  "godot_inspector animation.create_simple": ["animate a property", "looping animation"],
  "godot_code script.create": ["write a script", "add code behavior"],
  "godot_diagnostics scripts": ["check for errors", "compile errors", "does it compile"],
  "godot_game run": ["play the game", "start the game", "multiplayer instances"],
  "godot_game step": ["test a jump", "press a key and see what happens", "simulate input", "play until"],
  "godot_game verify": ["does the game run without errors", "smoke test", "check that the game works"],
  "godot_game screenshot": ["see the game", "picture of the game", "how does it look"],
  "godot_game breakpoint": ["debug stop at a line"],
  "godot_game profile": ["slow frames performance fps"],
  "godot_content tile_set.create": ["tileset", "tiles with collision"],
  "godot_content sprite_frames.create": ["sprite sheet animation", "animated sprite"],
  "godot_content ui.form": ["menu with buttons", "settings form"],
  "godot_export build": ["build for windows web android", "publish"],
  "godot_docs search": ["how does a class work", "api reference"],
  "godot_understand uses": ["who uses this file", "safe to delete"],
  "godot_understand happens": ["what happens when a button is pressed", "follow a signal", "trace an input"],
  "godot_understand rename": ["rename a method class everywhere", "refactor"],
};

const SYNONYMS: readonly (readonly string[])[] = [
  ["delete", "remove", "löschen", "borrar"],
  ["picture", "screenshot", "image", "bild"],
  ["create", "make", "add", "new", "erstellen"],
  ["folder", "directory", "ordner"],
  ["error", "bug", "problem", "fehler"],
  ["window", "fenster", "screen"],
  ["move", "verschieben"],
];
