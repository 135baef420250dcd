import { EXIT } from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/contract/outcome";
import { command } from "./machine.ts";

export const approve = command({
  name: "approve",
  describe: "Decide about what waits for you, one key an item",
  details:
    "What you approve goes out at once, exactly as it is shown and exactly once. An edit in $EDITOR is shown again before you can approve it.",
  options: {
    list: { kind: "flag", describe: "Only show what waits" },
    id: { kind: "value", placeholder: "ITEM", describe: "Only this item" },
    yes: { kind: "flag", describe: "Approve the item of --id without asking" },
    reject: { kind: "flag", describe: "Reject the item of --id without asking" },
  },
  examples: [
    { line: "tuitbot approve", does: "a approves, r rejects, e edits, s skips, q quits" },
    { line: "tuitbot approve --list --output json", does: "what waits, for a script" },
    { line: "tuitbot approve --id 7 --yes", does: "carries item 7 out" },
    { line: "tuitbot approve --id 7 --reject", does: "takes item 7 off the table" },
  ],
  async run({ list, id, yes, reject }, context) {
    const wish = wishOf({ list, id, yes, reject }, context.isJson, context.terminal.isInteractive);
    if (!wish.ok) return wish;
    const [{ openDesk, commandFailure, databaseTrouble }, { itemJson, itemText, resultText }, { round }] =
      await Promise.all([
        import("./approval-desk.ts"),
        import("./approval-view.ts"),
        import("./approval-round.ts"),
      ]);
    const opened = await openDesk(context);
    if (!opened.ok) return opened;
    const desk = opened.value;
    try {
      const one = wish.value.id === undefined ? undefined : await desk.find(wish.value.id);
      if (one?.ok === false)
        return failed({ ...commandFailure(one.failure), fix: "See tuitbot approve --list." });
      const items = one === undefined ? await desk.waiting() : [one.value];
      switch (wish.value.kind) {
        case "show": {
          const texts = items.map((item) => itemText(item, desk.me, desk.now(), context.terminal));
          return ok({
            text: items.length === 0 ? NOTHING : texts.join("\n"),
            json: { account: { ...desk.me }, items: items.map(itemJson) },
          });
        }
        case "approve": {
          const [item] = items;
          if (item === undefined) return failed({ message: NOTHING });
          const released = await desk.approve(item);
          if (!released.ok) return failed(commandFailure(released.failure));
          const { result = null } = released.value;
          return ok({ text: resultText(released.value), json: { id: item.id, status: "approved", result } });
        }
        case "reject": {
          const [item] = items;
          if (item === undefined) return failed({ message: NOTHING });
          const rejected = await desk.reject(item.id);
          if (!rejected.ok) return failed(commandFailure(rejected.failure));
          return ok({ text: `Item ${item.id} is rejected.`, json: { id: item.id, status: "rejected" } });
        }
        case "ask": {
          if (items.length === 0) return ok({ text: NOTHING, json: { items: [] } });
          const { approved, rejected, failed: broken, left } = await round(desk, items, context);
          return ok({
            text: `${approved.length} approved, ${rejected.length} rejected, ${left.length} still waiting.`,
            json: { approved: [...approved], rejected: [...rejected], failed: [...broken], left: [...left] },
            ...(broken.length > 0 && { exitCode: EXIT.failed }),
          });
        }
      }
    } catch (error) {
      return databaseTrouble(error);
    } finally {
      await desk.close();
    }
  },
});

const NOTHING = "Nothing waits for you.";

interface Given {
  readonly list: boolean;
  readonly id: string | undefined;
  readonly yes: boolean;
  readonly reject: boolean;
}

interface Wish {
  readonly kind: "show" | "approve" | "reject" | "ask";
  readonly id?: number;
}

function wishOf({ list, id, yes, reject }: Given, isJson: boolean, isInteractive: boolean) {
  const usage = (message: string, fix?: string) =>
    failed({ message, ...(fix !== undefined && { fix }), exitCode: EXIT.usage });
  const number = Number(id);
  if (id !== undefined && !(Number.isSafeInteger(number) && number > 0))
    return usage(`${JSON.stringify(id)} is not the number of an item.`, "See tuitbot approve --list.");
  if (yes && reject) return usage("--yes and --reject contradict each other.");
  if ((yes || reject) && id === undefined)
    return usage(`${yes ? "--yes" : "--reject"} needs --id: name the item that you have looked at.`);
  const at = id === undefined ? {} : { id: number };
  const kind = yes ? "approve" : reject ? "reject" : list || isJson ? "show" : "ask";
  if (kind === "ask" && !isInteractive)
    return usage(
      "This is not a terminal, so nobody can be asked.",
      "Look with tuitbot approve --list, then decide with --id N --yes or --id N --reject.",
    );
  return ok<Wish>({ kind, ...at });
}
