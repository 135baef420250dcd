import type { Json, Resource } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { product } from "../tools/product.ts";
import { LIVE } from "../workspace/live.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** The number of log entries to read. */
const MAX_ENTRIES = 100;

/** The MCP resources of this server. Clients can subscribe to scenes, the selection and logs, which change. */
export const resources: readonly Resource[] = [
  product.defineResource({
    uri: "godot://error-codes",
    name: "error-codes",
    title: "Error codes",
    description: "Every code a tool can fail with: meaning, and whether to try again.",
    mimeType: "application/json",
    needs: [],
    read: async () => ok(asJson(errors.rows)),
  }),
  product.defineResource({
    uri: "godot://tools/{name}",
    name: "tool",
    title: "A tool in full",
    description: "What each action of a tool takes, and how it can fail.",
    mimeType: "application/json",
    needs: ["toolbox"],
    async read({ params: { name = "" } }, { toolbox }) {
      const tool = toolbox.describe().find((candidate) => candidate.name === name);
      if (tool === undefined) return errors.fail("E_NOT_FOUND", "This server has no such tool.");
      return ok(asJson({ ...tool, schema: tool.schema() }));
    },
  }),
  product.defineResource({
    uri: "godot://scene/{path}",
    name: "scene",
    title: "A scene's tree",
    description:
      "Nodes with types, from the open editor where it shows the scene, else from the file. The path is written as levels%2Fone.tscn.",
    mimeType: "application/json",
    needs: ["project", "workspace"],
    async read({ params: { path = "" } }, { project, workspace, signal }) {
      const found = await project.resolve(`res://${path.replace(/^res:\/\//, "")}`);
      if (!found.ok) return found;
      const scene = found.value.res;
      const tree = await workspace.sceneTree(project, scene, signal);
      return tree.ok ? ok(asJson({ ...tree.value, mode: tree.mode })) : tree;
    },
  }),
  product.defineResource({
    uri: LIVE.selection,
    name: "selection",
    title: "What is selected in the editor",
    description: "The scene in front and its selected nodes. Needs a connected editor.",
    mimeType: "application/json",
    needs: ["workspace"],
    async read(_request, { workspace, signal }) {
      const editor = workspace.connectedEditor();
      if (!editor.ok) return editor;
      const state = await editor.value.request("editor.state", {}, { signal });
      if (!state.ok) return state;
      const { current, selection, scenes } = state.value;
      const isUnsaved = scenes.some(({ scene, unsaved }) => scene === current && unsaved);
      return ok(asJson({ scene: current, selection, unsaved: isUnsaved }));
    },
  }),
  product.defineResource({
    uri: LIVE.errors,
    name: "errors",
    title: "Errors and warnings of Godot",
    description:
      "The last ones of the open editor and of the games that this server runs, with file and line.",
    mimeType: "application/json",
    needs: ["workspace"],
    read: async (_request, { workspace, signal }) =>
      logs(workspace, signal, true, ({ game }) => ({
        errors: game.errors({ limit: ALL }).errors.slice(-MAX_ENTRIES) as unknown as Json,
      })),
  }),
  product.defineResource({
    uri: LIVE.output,
    name: "output",
    title: "What Godot printed",
    description: "The last lines of the open editor and of the games that this server runs.",
    mimeType: "application/json",
    needs: ["workspace"],
    read: async (_request, { workspace, signal }) =>
      logs(workspace, signal, false, ({ game }) => ({
        lines: game.output({ limit: ALL }).lines.slice(-MAX_ENTRIES) as unknown as Json,
      })),
  }),
];

/** More than a game keeps. */
const ALL = 5_000;

type Handle = ReturnType<Workspace["games"]["all"]>[number];

async function logs(
  workspace: Workspace,
  signal: AbortSignal,
  onlyErrors: boolean,
  ofGame: (handle: Handle) => { readonly [name: string]: Json },
): Promise<Result<{ readonly text: string }>> {
  const editor = workspace.editor();
  const games = workspace.games.all();
  if (editor === undefined && games.length === 0)
    return errors.fail(
      "E_NOT_CONNECTED",
      "No editor is connected, and no game was run: nothing was printed.",
      {
        suggestedFix: "Open the project in Godot with the addon enabled, or run the game with godot_game.",
      },
    );
  const log = await editor?.request("editor.log", { limit: ALL, onlyErrors }, { signal });
  if (log !== undefined && !log.ok) return log;
  return ok(
    asJson({
      editor: log === undefined ? null : { entries: log.value.entries.slice(-MAX_ENTRIES) },
      games: games.map((handle) => ({
        game: handle.id,
        state: handle.game.status().state,
        ...ofGame(handle),
      })),
    }),
  );
}

function asJson(value: unknown): { readonly text: string } {
  return { text: JSON.stringify(value, null, 2) };
}
