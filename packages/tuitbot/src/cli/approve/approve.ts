import { type CommandFailure, EXIT } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import { command } from "../machine.ts";

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
    const [{ atApprovalDesk }, { doWish }] = await Promise.all([
      import("./approval-desk.ts"),
      import("./approval-work.ts"),
    ]);
    return atApprovalDesk(context, (desk) => doWish(desk, wish.value, context));
  },
});

interface Given {
  readonly list: boolean;
  readonly id: string | undefined;
  readonly yes: boolean;
  readonly reject: boolean;
}

/** What the person wants: of one item, or of all that wait. */
export type Wish =
  | { readonly kind: "show" | "ask"; readonly id: number | undefined }
  | { readonly kind: "approve" | "reject"; readonly id: number };

function wishOf(
  { list, id, yes, reject }: Given,
  isJson: boolean,
  isInteractive: boolean,
): Outcome<Wish, CommandFailure> {
  const usage = (message: string, fix?: string) =>
    failed({ message, ...(fix !== undefined && { fix }), exitCode: EXIT.usage });
  const item = id === undefined ? undefined : Number(id);
  if (item !== undefined && !(Number.isSafeInteger(item) && item > 0))
    return usage(`${JSON.stringify(id)} is not the number of an item.`, "See tuitbot approve --list.");
  if (yes && reject) return usage("--yes and --reject contradict each other.", "Give one of them.");
  if (yes || reject)
    return item === undefined
      ? usage(`${yes ? "--yes" : "--reject"} needs --id: name the item that you have looked at.`)
      : ok({ kind: yes ? "approve" : "reject", id: item });
  if (list || isJson) return ok({ kind: "show", id: item });
  return isInteractive
    ? ok({ kind: "ask", id: item })
    : usage(
        "This is not a terminal, so nobody can be asked.",
        "Look with tuitbot approve --list, then decide with --id N --yes or --id N --reject.",
      );
}
