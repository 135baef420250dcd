import { type CommandOutcome, EXIT } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/internal/cli";
import { failed, ok } from "@toolpact/outcome";
import { approvalsFor } from "../../app/approvals.ts";
import { itemJson } from "../../app/pending-items.ts";
import { addedRule } from "../../app/rule-words.ts";
import { applyEdit } from "../../approval/edit.ts";
import type { QueuedMutation } from "../../approval/item.ts";
import { waitsForOthers } from "../../approval/vote.ts";
import { WHO_AM_I_MS } from "../../x/connect-x.ts";
import type { Context } from "../context.ts";
import { decider } from "../decider.ts";
import type { SandboxUse } from "../open-server.ts";
import { withServices } from "../with-services.ts";
import { itemText, resultText } from "./approval-view.ts";
import type { ApprovalRequest } from "./approve.ts";
import { askAboutItems, type TerminalApprovals } from "./ask-about-items.ts";

/** Does what the command line asks for, with one item or with all that wait. */
export function runApproval(
  request: ApprovalRequest,
  context: Context,
  joins: NonNullable<SandboxUse["joins"]>,
): Promise<CommandOutcome> {
  const { signal } = context;
  return withServices(
    ["db", "approvals", "workflow", "config"],
    // Items of every profile can be approved here.
    { profile: "admin" },
    context,
    async (services) => {
      await services.workflow.settle(AbortSignal.any([signal, AbortSignal.timeout(WHO_AM_I_MS)]));
      return carryOut(
        {
          ...approvalsFor(services, { by: decider(), mayDecide: async () => true, signal }),
          timezone: services.config.values.schedule.timezone,
        },
        request,
        context,
      );
    },
    { joins },
  );
}

async function carryOut(
  session: TerminalApprovals,
  request: ApprovalRequest,
  context: Context,
): Promise<CommandOutcome> {
  const { kind, id, reason } = request;
  if (id === undefined) {
    const items = await session.waiting();
    return kind === "show" ? show(session, items, context) : ask(session, items, context);
  }
  const found = await session.find(id);
  if (!found.ok) return failed({ ...commandFailure(found.failure), fix: "See tuitbot approve --list." });
  switch (request.kind) {
    case "show":
      return show(session, [found.value], context);
    case "ask":
      return ask(session, [found.value], context);
    case "approve": {
      if (request.similar !== undefined) {
        const similar = await session.approveSimilar(found.value, request.similar);
        if (!similar.ok) return failed(commandFailure(similar.failure));
        const { rule, result = null } = similar.value;
        return ok({
          text: `${resultText(similar.value, session.timezone)}\n${addedRule(rule)}`,
          json: { id, status: "approved", result, rule: rule.id },
        });
      }
      const released = await session.approve(found.value);
      if (!released.ok) return failed(commandFailure(released.failure));
      const { result = null } = released.value;
      return ok({
        text: resultText(released.value, session.timezone),
        json: { id, status: waitsForOthers(released.value) ? "pending" : "approved", result },
      });
    }
    case "reject": {
      const rejected = await session.reject(found.value, reason);
      if (!rejected.ok) return failed(commandFailure(rejected.failure));
      return ok({ text: `Item ${id} is rejected.`, json: { id, status: "rejected" } });
    }
    case "edit": {
      const args = applyEdit(found.value.args, request.text);
      const isText = typeof found.value.args.text === "string";
      if (!isText || !args.ok)
        return failed({ message: `Item ${id} has no text to edit.`, fix: "Edit it in tuitbot approve." });
      const edited = await session.edit(found.value, args.value);
      if (!edited.ok) return failed(commandFailure(edited.failure));
      return show(session, [edited.value], context);
    }
    case "posted":
    case "not_posted": {
      const isOut = request.kind === "posted";
      const settled = await session.settle(id, isOut);
      if (!settled.ok) return failed(commandFailure(settled.failure));
      const { status } = settled.value;
      const text = isOut ? "Noted: it is out." : "Noted: it is not out, and will not be.";
      return ok({ text, json: { id, status } });
    }
  }
}

const NOTHING = "Nothing waits for you.";

async function show(
  session: TerminalApprovals,
  items: readonly QueuedMutation[],
  { terminal }: Context,
): Promise<CommandOutcome> {
  const files = await session.filesOf(items);
  const texts = items.map((item) => itemText(item, files.get(item.id) ?? [], session, terminal));
  return ok({
    text: items.length === 0 ? NOTHING : texts.join("\n"),
    json: { account: { ...session.me }, items: items.map(itemJson) },
  });
}

async function ask(
  session: TerminalApprovals,
  items: readonly QueuedMutation[],
  context: Context,
): Promise<CommandOutcome> {
  if (items.length === 0) return ok({ text: NOTHING, json: { items: [] } });
  const { approved, rejected, failed: broken } = await askAboutItems(session, items, context);
  // Also those that came meanwhile, and those that were not asked about.
  const left = (await session.waiting()).map((item) => item.id);
  const failures = broken.length === 0 ? "" : `${broken.length} failed, `;
  return ok({
    text: `${approved.length} approved, ${rejected.length} rejected, ${failures}${left.length} still waiting.`,
    json: { approved: [...approved], rejected: [...rejected], failed: [...broken], left: [...left] },
    ...(broken.length > 0 && { exitCode: EXIT.failed }),
  });
}
