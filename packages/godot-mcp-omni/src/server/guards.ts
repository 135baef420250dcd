import { EFFECTS, type Failure, guard, type Outcome, type Tool } from "@toolpact/contract";
import { errors } from "../errors.ts";
import { product } from "../tools/product.ts";
import type { Godots } from "../workspace/godots.ts";

/** Refuses whatever changes something while the server is read-only. */
export const readOnlyGate = guard<{ dependencies: { readonly readOnly: boolean } }>({
  name: "read-only",
  codes: ({ effects }) => (effects.some((effect) => EFFECTS[effect].mutates) ? ["E_PERMISSION_DENIED"] : []),
  async run(call, next, { readOnly }) {
    if (!readOnly || !EFFECTS[call.effect].mutates) return next();
    const what = call.action === undefined ? call.tool.name : `${call.tool.name} ${call.action}`;
    return errors.fail("E_PERMISSION_DENIED", `${what} changes something, and this server is read-only.`, {
      details: { gate: "READ_ONLY" },
      suggestedFix: "The operator can start the server without --read-only.",
      fixBy: "operator",
    });
  },
});

interface ProjectGate {
  readonly project: () => Outcome<string, Failure<"E_NOT_FOUND">>;
  /** Whether a server has worked in the folder before. */
  readonly wasProject: () => boolean;
}

/** Answers with what to do first while there is no project to work on. */
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
  /** The games that this server runs, once it has run one. */
  readonly games: () => Godots["games"] | undefined;
}

/**
 * Brings files that the call changed into the running games, and adds what came of it and what the games met since the
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

/** The client of calls that a workflow makes. */
export const WORKFLOW = "workflow";

function worksOnProject({ needs }: Tool): boolean {
  return needs.includes("project") || needs.includes("godots");
}
