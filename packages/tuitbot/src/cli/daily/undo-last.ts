import { type CommandOutcome, columns, EXIT } from "@toolpact/cli";
import type { Json } from "@toolpact/contract";
import { commandFailure } from "@toolpact/contract/internal/cli";
import { escapeInvisible, formatDuration, formatLines } from "@toolpact/contract/internal/text";
import { failed, ok } from "@toolpact/outcome";
import type { Services } from "../../app/services.ts";
import { undo, undoableJson } from "../../app/undo.ts";
import { callResultFrom } from "../../approval/release.ts";
import { type Undoable, undoableMutations } from "../../audit/undoable.ts";
import type { Context } from "../context.ts";
import { decider } from "../decider.ts";
import { withCore } from "../with-services.ts";
import { titleOf } from "../words.ts";
import { type DailySession, dollars, minute } from "./daily-session.ts";
import { contentOf } from "./show-log.ts";

interface UndoRequest {
  readonly list: boolean;
  readonly id: string | undefined;
  readonly yes: boolean;
}

const NEEDS = ["db", "workflow", "approvals", "config"] as const;

/** Takes back the last mutation that can be, or the one that is named, after the person agreed. */
export function undoLast({ list, id, yes }: UndoRequest, context: Context): Promise<CommandOutcome> {
  // Actions of any profile can be undone here.
  return withCore(NEEDS, { profile: "admin" }, context, async (services, core) => {
    const { db, workflow } = services;
    const found = await undoableMutations(db.store.db, db.account);
    if (list) return listOf(found, services);
    const chosen = found.find(({ mutation }) => id === undefined || mutation.correlation_id === id);
    if (chosen === undefined)
      return id === undefined
        ? ok({ text: "Nothing can be undone.", json: { undone: false } })
        : failed({
            message: `Nothing with the id ${id} can be undone.`,
            fix: "See tuitbot undo --list.",
          });
    const about = await describeUndo(chosen, workflow, context.signal);
    if (!context.isJson) context.terminal.out(about);
    const isAgreed = yes || (await agrees(context));
    if (!isAgreed)
      return ok({
        text: "Nothing was changed.",
        json: { undone: false, would_undo: undoableJson(chosen) },
        ...(!context.terminal.isInteractive && !context.isJson && { exitCode: EXIT.usage }),
      });
    const caller = { transport: "cli", client: "undo" } as const;
    const done = await undo(chosen, {
      ...services,
      by: decider(),
      call: async (tool, args) =>
        callResultFrom(await core.pipeline.call({ tool, args, caller, signal: context.signal })),
    });
    if (!done.ok) return failed(commandFailure(done.failure));
    return ok({ text: "Undone.", json: { undone: true, ...undoableJson(chosen) } });
  });
}

function listOf(found: readonly Undoable[], session: Pick<DailySession, "config">): CommandOutcome {
  return ok({
    text:
      found.length === 0
        ? "Nothing can be undone."
        : columns(
            found.map(({ mutation }) => [
              minute(mutation.created_at, session),
              mutation.correlation_id,
              titleOf(mutation.tool_name),
              contentOf(mutation),
            ]),
          ),
    json: { undoable: found.map(undoableJson) },
  });
}

async function describeUndo(
  { mutation, client, calls }: Undoable,
  workflow: Services["workflow"],
  signal: AbortSignal,
): Promise<string> {
  const prices = await Promise.all(calls.map(({ tool, args }) => workflow.preview(tool, args, signal)));
  const usd = prices.reduce((sum, price) => sum + (price.ok ? price.value.estimatedUsd : 0), 0);
  const age = formatDuration(workflow.now() - Date.parse(mutation.created_at));
  const by = client === null ? "" : `, by ${escapeInvisible(client)}`;
  const [first] = calls;
  const times = calls.length === 1 ? "" : ` ${calls.length} times`;
  return [
    `${titleOf(mutation.tool_name)}, ${age} ago${by}`,
    ...formatLines(contentOf(mutation)).map((line) => `  │ ${line}`),
    ...urlOf(mutation.result).map((url) => `  ${url}`),
    `Undo: ${first === undefined ? "nothing" : titleOf(first.tool)}${times}, for ${dollars(usd)}.`,
    "",
  ].join("\n");
}

function urlOf(result: Json): readonly string[] {
  const url = typeof result === "object" && result !== null && "url" in result ? result.url : undefined;
  return typeof url === "string" ? [escapeInvisible(url)] : [];
}

async function agrees({ terminal, signal, isJson }: Context): Promise<boolean> {
  if (isJson) return false;
  if (!terminal.isInteractive) terminal.err("This is not a terminal, so nobody can be asked. Add --yes.\n");
  const answer = await terminal.ask("Undo it? [y/N] ", signal);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}
