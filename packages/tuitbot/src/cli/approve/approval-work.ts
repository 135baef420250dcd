import { type CommandOutcome, EXIT } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/contract/outcome";
import type { ApprovalItem } from "../../approval/item.ts";
import type { Context } from "../context.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import { round } from "./approval-round.ts";
import { itemJson, itemText, resultText } from "./approval-view.ts";
import type { Wish } from "./approve.ts";

/** Does with one item, or with all that wait, what the command line says. */
export async function doWish(
  desk: ApprovalDesk,
  { kind, id }: Wish,
  context: Context,
): Promise<CommandOutcome> {
  if (id === undefined) {
    const items = await desk.waiting();
    return kind === "show" ? show(desk, items, context) : ask(desk, items, context);
  }
  const found = await desk.find(id);
  if (!found.ok) return failed({ ...commandFailure(found.failure), fix: "See tuitbot approve --list." });
  switch (kind) {
    case "show":
      return show(desk, [found.value], context);
    case "ask":
      return ask(desk, [found.value], context);
    case "approve": {
      const released = await desk.approve(found.value);
      if (!released.ok) return failed(commandFailure(released.failure));
      const { result = null } = released.value;
      return ok({ text: resultText(released.value), json: { id, status: "approved", result } });
    }
    case "reject": {
      const rejected = await desk.reject(id);
      if (!rejected.ok) return failed(commandFailure(rejected.failure));
      return ok({ text: `Item ${id} is rejected.`, json: { id, status: "rejected" } });
    }
  }
}

const NOTHING = "Nothing waits for you.";

function show(desk: ApprovalDesk, items: readonly ApprovalItem[], { terminal }: Context): CommandOutcome {
  const texts = items.map((item) => itemText(item, desk.me, desk.now(), terminal));
  return ok({
    text: items.length === 0 ? NOTHING : texts.join("\n"),
    json: { account: { ...desk.me }, items: items.map(itemJson) },
  });
}

async function ask(
  desk: ApprovalDesk,
  items: readonly ApprovalItem[],
  context: Context,
): Promise<CommandOutcome> {
  if (items.length === 0) return ok({ text: NOTHING, json: { items: [] } });
  const { approved, rejected, failed: broken, left } = await round(desk, items, context);
  return ok({
    text: `${approved.length} approved, ${rejected.length} rejected, ${left.length} still waiting.`,
    json: { approved: [...approved], rejected: [...rejected], failed: [...broken], left: [...left] },
    ...(broken.length > 0 && { exitCode: EXIT.failed }),
  });
}
