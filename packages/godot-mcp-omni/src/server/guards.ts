import { EFFECTS, guard, type Tool } from "@toolpact/contract";
import { errors, type Result } from "../errors.ts";
import { type StopOrder, stateProblem } from "../project/state-folder.ts";
import { product } from "../tools/product.ts";
import type { Dock } from "../workspace/dock.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Refuses every change while the server is read-only. */
export const readOnlyGate = guard<{ dependencies: { readonly readOnly: boolean } }, "E_PERMISSION_DENIED">({
  name: "read-only",
  codes: ({ effects }) => (effects.some((effect) => EFFECTS[effect].mutates) ? ["E_PERMISSION_DENIED"] : []),
  async run(call, next, { readOnly }) {
    if (!readOnly || !EFFECTS[call.effect].mutates) return next();
    return errors.fail(
      "E_PERMISSION_DENIED",
      `${nameOf(call)} changes something, and this server is read-only.`,
      {
        details: { gate: "READ_ONLY" },
        suggestedFix: "The operator can start the server without --read-only.",
        fixBy: "operator",
      },
    );
  },
});

/** Refuses every change while the undo journal and the log have no folder. */
export const stateGate = guard<
  { dependencies: { readonly root: () => Result<string, "E_NOT_FOUND"> } },
  "E_PERMISSION_DENIED"
>({
  name: "state",
  codes: ({ effects }) => (effects.some((effect) => EFFECTS[effect].mutates) ? ["E_PERMISSION_DENIED"] : []),
  async run(call, next, { root }) {
    const project = EFFECTS[call.effect].mutates ? root() : undefined;
    const problem = project?.ok ? stateProblem(project.value) : undefined;
    if (problem === undefined) return next();
    return errors.fail("E_PERMISSION_DENIED", `${nameOf(call)} was not done: ${problem}`, {
      details: { gate: "STATE_FOLDER" },
      suggestedFix: "Move or delete it. This server makes its folder .godot_mcp there, for undo and its log.",
      fixBy: "operator",
    });
  },
});

/** Refuses every change while the user has stopped agents. A running call is finished. */
export const stopGate = guard<
  { dependencies: { readonly stop: () => StopOrder | undefined } },
  "E_PERMISSION_DENIED"
>({
  name: "stop",
  codes: ({ effects }) => (effects.some((effect) => EFFECTS[effect].mutates) ? ["E_PERMISSION_DENIED"] : []),
  async run(call, next, { stop }) {
    const ordered = EFFECTS[call.effect].mutates ? stop() : undefined;
    if (ordered === undefined) return next();
    const where = { dock: " in the editor", command: " by command", someone: "" }[ordered.by];
    const when = ordered.at === undefined ? "" : `, at ${ordered.at}`;
    return errors.fail(
      "E_PERMISSION_DENIED",
      `A person has stopped all changes of this project${where}${when}. ${nameOf(call)} was not done.`,
      {
        details: { gate: "STOPPED", by: ordered.by, ...(ordered.at !== undefined && { at: ordered.at }) },
        suggestedFix:
          "Do not look for another way. Say what you were about to do, and wait: the person resumes it in the editor's Agent dock, or with godot-mcp-omni resume. Reading works meanwhile.",
        fixBy: "operator",
      },
    );
  },
});

/** Shows the call in the editor's dock while it runs. */
export const activity = product.guard<{ dependencies: { readonly dock: () => Dock | undefined } }>({
  name: "activity",
  codes: () => [],
  async run(call, next, { dock }) {
    const shown = dock();
    if (shown === undefined) return next();
    const { scene, path, node, class: type } = call.input;
    const subject = [scene, path, node, type].filter((part) => typeof part === "string").slice(0, 2);
    const ended = shown.show({
      line: [nameOf(call).replace(/^godot_/, ""), ...subject].join(" "),
      client: call.caller.client,
      changes: EFFECTS[call.effect].mutates,
    });
    let failure: string | undefined = "It ended in a bug.";
    try {
      const outcome = await next();
      failure = outcome.ok === false ? outcome.failure.message : undefined;
      return outcome;
    } finally {
      ended(failure);
    }
  },
});

function nameOf({ tool, action }: { readonly tool: Tool; readonly action: string | undefined }): string {
  return action === undefined ? tool.name : `${tool.name} ${action}`;
}

interface ProjectGate {
  readonly project: () => Result<string, "E_NOT_FOUND">;
  /** Whether a server has worked in the folder before. */
  readonly wasProject: () => boolean;
}

/** Explains the first step while there is no project to work on. */
export const projectGate = product.guard<{ dependencies: ProjectGate }>({
  name: "project",
  codes: (tool) => (worksOnProject(tool) ? ["E_NOT_FOUND"] : []),
  async run({ tool, action = "" }, next, { project, wasProject }) {
    if (!worksOnProject(tool) || tool.facts?.beforeProject?.includes(action)) return next();
    const found = project();
    return found.ok || (tool.facts?.afterUndo?.includes(action) && wasProject()) ? next() : found;
  },
});

interface GameNews {
  /** The games of this server, once it has run one. */
  readonly games: () => Workspace["games"] | undefined;
}

/**
 * Reloads files that the call changed in running games, and adds the results and the games' events since the
 * last answer. Calls of a workflow leave that to the answer of the workflow.
 */
export const gameNews = product.guard<{ dependencies: GameNews }>({
  name: "game-news",
  codes: () => [],
  async run(call, next, { games }) {
    const since = games()?.reloadCount ?? 0;
    const outcome = await next();
    await games()?.reload();
    if (call.caller.client === WORKFLOW) return outcome;
    for (const line of (await games()?.news(since)) ?? []) call.warn(line);
    return outcome;
  },
});

/** The client name of calls from a workflow. */
export const WORKFLOW = "workflow";

function worksOnProject({ needs }: Tool): boolean {
  return needs.includes("project") || needs.includes("workspace");
}
