import type { Prompt } from "@toolpact/contract";

/** Prompts, each for tools that a server offers by default. */
export const prompts: readonly Prompt[] = [
  prompt({
    name: "build_scene",
    title: "Build a scene",
    description: "Makes a scene from a description, with scripts and input, and checks it.",
    asks: "What the scene is to be",
    text: (description) =>
      `Build this in the Godot project: ${description}. Look at what is there with godot_workspace status and godot_project project_info.get. Make the scene with godot_scene and godot_batch, scripts with godot_code, input actions with godot_project input_map.setup. Look APIs up with godot_docs rather than guess. Then run godot_diagnostics and fix what it finds. Tell me which files you made or changed.`,
  }),
  prompt({
    name: "fix_errors",
    title: "Find and fix errors",
    description: "Checks every script and scene, and fixes what is wrong, one file at a time.",
    text: () =>
      "Run godot_diagnostics for scripts and for scenes. For each error read the file, look the API up with godot_docs, and fix its cause with the smallest edit. Run godot_diagnostics again until nothing is left. Tell me what was wrong and what you changed.",
  }),
  prompt({
    name: "explain_scene",
    title: "Explain a scene",
    description: "Reads a scene and says how it works. Changes nothing.",
    asks: "Path of the scene, such as res://main.tscn",
    text: (scene) =>
      `Read the scene ${scene} with godot_inspector scene_tree.get and signals.connections.list, and its scripts with godot_code script.read. Explain what each part does, which signals connect them, and what looks wrong. Change nothing.`,
  }),
];

interface PromptRow extends Pick<Prompt, "name" | "title" | "description"> {
  /** The question to the user; undefined for a prompt without arguments. */
  readonly asks?: string;
  readonly text: (answer: string) => string;
}

function prompt({ asks, text, ...row }: PromptRow): Prompt {
  return {
    ...row,
    arguments: asks === undefined ? [] : [{ name: "what", description: asks, required: true }],
    messages: ({ what = "" }) => [
      { role: "user", content: { type: "text", text: text(JSON.stringify(what)) } },
    ],
  };
}
