import { type CommandOutcome, columns, EXIT } from "@toolpact/cli";
import type { Failure, Json } from "@toolpact/contract";
import { commandFailure } from "@toolpact/contract/cli";
import { peopleLine } from "@toolpact/contract/guards";
import { escapeInvisible, formatDuration, formatLines } from "@toolpact/contract/guards/text";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { findItem } from "../../approval/queue.ts";
import { callResultFrom, releaseItem } from "../../approval/release.ts";
import { waitsForOthers } from "../../approval/vote.ts";
import { type Undoable, type UndoCall, undoableMutations } from "../../audit/undoable.ts";
import type { Core } from "../../server/core.ts";
import type { Services } from "../../tools/product.ts";
import { decider } from "../approve/approval-session.ts";
import type { Context } from "../context.ts";
import { withCore } from "../with-services.ts";
import { dollars, minute } from "./daily-session.ts";
import { contentOf } from "./show-log.ts";

interface UndoRequest {
  readonly list: boolean;
  readonly id: string | undefined;
  readonly yes: boolean;
}

export type UndoServices = Pick<Services, (typeof NEEDS)[number]>;

const NEEDS = ["db", "workflow", "approvals"] as const;

/** Takes back the last mutation that can be, or the one that is named, after the person agreed. */
export function undoLast({ list, id, yes }: UndoRequest, context: Context): Promise<CommandOutcome> {
  // What any profile has done can be taken back here.
  return withCore(NEEDS, { profile: "admin" }, context, async (services, core) => {
    const { db, workflow } = services;
    const found = await undoableMutations(db.store.db, db.account);
    if (list) return listOf(found);
    const chosen = found.find(({ mutation }) => id === undefined || mutation.correlation_id === id);
    if (chosen === undefined)
      return id === undefined
        ? ok({ text: "Nothing can be taken back.", json: { undone: false } })
        : failed({
            message: `Nothing with the id ${id} can be taken back.`,
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
    const done = await takeBack(chosen, services, core, {
      by: decider(),
      transport: "cli",
      signal: context.signal,
    });
    if (!done.ok) return failed(commandFailure(done.failure));
    return ok({ text: "Taken back.", json: { undone: true, ...undoableJson(chosen) } });
  });
}

/** The person who takes something back, and where. */
export interface UndoBy {
  readonly by: string;
  readonly transport: "cli" | "web";
  readonly signal: AbortSignal;
}

/** Takes a mutation back, which the person has looked at. */
export async function takeBack(
  { calls }: Undoable,
  services: UndoServices,
  core: Core,
  person: UndoBy,
): Promise<Outcome<undefined, Failure>> {
  for (const call of calls) {
    const done = await carryOut(call, services, core, person);
    if (!done.ok) return done;
  }
  return ok(undefined);
}

/** A mutation that can be taken back, as `--output json` has it. */
export function undoableJson({ mutation, client, calls }: Undoable) {
  return {
    id: mutation.correlation_id,
    tool: mutation.tool_name,
    params: mutation.params,
    result: mutation.result,
    at: mutation.created_at,
    client,
    approval_id: mutation.approval_id,
    undo: calls.map(({ tool, args }) => ({ tool, args })),
  };
}

function listOf(found: readonly Undoable[]): CommandOutcome {
  return ok({
    text:
      found.length === 0
        ? "Nothing can be taken back."
        : columns(
            found.map(({ mutation }) => [
              minute(mutation.created_at),
              mutation.correlation_id,
              mutation.tool_name,
              contentOf(mutation),
            ]),
          ),
    json: { undoable: found.map(undoableJson) },
  });
}

async function describeUndo(
  { mutation, client, calls }: Undoable,
  workflow: UndoServices["workflow"],
  signal: AbortSignal,
): Promise<string> {
  const prices = await Promise.all(calls.map(({ tool, args }) => workflow.preview(tool, args, signal)));
  const usd = prices.reduce((sum, price) => sum + (price.ok ? price.value.estimatedUsd : 0), 0);
  const age = formatDuration(workflow.now() - Date.parse(mutation.created_at));
  const by = client === null ? "" : `, by ${escapeInvisible(client)}`;
  const [first] = calls;
  const times = calls.length === 1 ? "" : ` ${calls.length} times`;
  return [
    `${mutation.tool_name}, ${age} ago${by}`,
    ...formatLines(contentOf(mutation)).map((line) => `  │ ${line}`),
    ...urlOf(mutation.result).map((url) => `  ${url}`),
    `${first?.tool ?? "Nothing"}${times} takes it back, for ${dollars(usd)}.`,
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
  const answer = await terminal.ask("Take it back? [y/N] ", signal);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

/** Makes the call as a person. Where the rules want an approval, the person has given it: they saw this very call. */
async function carryOut(
  { tool, args }: UndoCall,
  { db, approvals }: UndoServices,
  { pipeline }: Core,
  { by, transport, signal }: UndoBy,
): Promise<Outcome<undefined, Failure>> {
  const caller = { transport, client: "undo" } as const;
  const answer = callResultFrom(await pipeline.call({ tool, args, caller, signal }));
  if (answer.ok !== null) return answer.ok ? ok(undefined) : failed(answer.failure);
  const item = await findItem(db.store.db, db.account, answer.queued.approval_queue_id);
  if (!item.ok) return item;
  const { id, digest } = item.value;
  const released = await releaseItem(approvals, id, { digest, by });
  if (!released.ok) return released;
  const { value } = released;
  return waitsForOthers(value)
    ? failed({ code: "policy_denied_hard_rule", message: `It waits as item ${id}. ${peopleLine(value)}` })
    : ok(undefined);
}
