import type { Steps } from "../formats/document.ts";
import type { FileFacts } from "./file-facts.ts";
import type { ProjectGraph } from "./project-graph.ts";

interface UnknownName {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** Calls that create or probe names at run time; then the files do not show all names. */
const AT_RUN_TIME = {
  action: ["add_action", "has_action", "erase_action", "load_from_project_settings"],
  group: ["add_to_group", "has_group", "get_groups"],
} as const;

/** A method of the project with such a name may take other arguments than Godot's. */
const AMBIGUOUS = /^(?:is_action\w*|get_action\w*|action_\w+|get_axis|get_vector|\w*_group\w*)$/;

/**
 * Input actions and groups that scripts use and nothing declares. Names are checked only if the files show all of them:
 * not in a project that creates some at run time, has C#, or keeps scenes in binary form.
 */
export function* findingUnknownNames(graph: ProjectGraph): Steps<UnknownName[]> {
  const files = [...graph.files.values()];
  yield;
  const isUnclear = ({ path, symbols }: FileFacts) =>
    path.endsWith(".cs") || symbols.some(({ kind, name }) => kind === "method" && AMBIGUOUS.test(name));
  if (files.some(isUnclear)) return [];
  const unknown: UnknownName[] = [];
  for (const kind of ["action", "group"] as const) {
    const isMade = files.some(({ words, members }) =>
      AT_RUN_TIME[kind].some((call) => words.has(call) || members.has(call)),
    );
    if (isMade || (kind === "group" && files.some(({ path }) => /\.scn$/.test(path)))) continue;
    const declared = new Set(
      files.flatMap(({ names }) =>
        names.flatMap((each) => (each.kind === kind && each.how === "declared" ? [each.name] : [])),
      ),
    );
    for (const { path, names } of files) {
      yield;
      if (!path.endsWith(".gd") || path.startsWith("res://addons/")) continue;
      for (const { kind: of, name, line } of names)
        if (of === kind && !declared.has(name) && !(kind === "action" && name.startsWith("ui_")))
          unknown.push({ path, line, message: MESSAGES[kind](name) });
    }
  }
  return unknown;
}

const MESSAGES = {
  action: (name: string) => `The input map has no action "${name}".`,
  group: (name: string) => `No scene has a node in the group "${name}", and no script adds one.`,
} as const;
