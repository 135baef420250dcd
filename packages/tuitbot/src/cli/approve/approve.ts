import { type CommandFailure, EXIT } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { command } from "../machine.ts";

export const approve = command({
  name: "approve",
  describe: "Approve, reject or edit what waits for you, with one key per item",
  details:
    "An approved item is sent at once, exactly as shown and exactly once. After an edit in $EDITOR the item is shown again before you can approve it.",
  options: {
    list: { kind: "flag", describe: "List the items that wait, and ask nothing" },
    id: { kind: "value", placeholder: "ITEM", describe: "The number of one item, such as 7" },
    yes: { kind: "flag", describe: "Approve the item of --id without asking" },
    reject: { kind: "flag", describe: "Reject the item of --id without asking" },
    sandbox: {
      kind: "flag",
      describe:
        "What waits in the sandbox that a server runs, which is what you see anyway if nobody is signed in",
    },
    reason: { kind: "value", placeholder: "TEXT", describe: "With --reject: why, which the agent reads" },
  },
  examples: [
    { line: "tuitbot approve", does: "a approves, r rejects, e edits, s skips, q quits" },
    { line: "tuitbot approve --list --output json", does: "lists the items for a script" },
    { line: "tuitbot approve --id 7 --yes", does: "approves item 7" },
    { line: 'tuitbot approve --id 7 --reject --reason "Too salesy"', does: "rejects item 7 and says why" },
  ],
  async run({ list, id, yes, reject, reason, sandbox }, context) {
    const request = requestOf(
      { list, id, yes, reject, reason },
      context.isJson,
      context.terminal.isInteractive,
    );
    if (!request.ok) return request;
    const [{ withApprovalSession }, { runApproval }] = await Promise.all([
      import("./approval-session.ts"),
      import("./run-approval.ts"),
    ]);
    return withApprovalSession(
      context,
      (session) => runApproval(session, request.value, context),
      sandbox ? "always" : "signed_out",
    );
  },
});

interface Given {
  readonly list: boolean;
  readonly id: string | undefined;
  readonly yes: boolean;
  readonly reject: boolean;
  readonly reason: string | undefined;
}

/** What to do, with one item or with all that wait. */
export type ApprovalRequest = { readonly reason?: string | undefined } & (
  | { readonly kind: "show" | "ask"; readonly id: number | undefined }
  | { readonly kind: "approve" | "reject"; readonly id: number }
);

function requestOf(
  { list, id, yes, reject, reason }: Given,
  isJson: boolean,
  isInteractive: boolean,
): Outcome<ApprovalRequest, CommandFailure> {
  const usage = (message: string, fix?: string) =>
    failed({ message, ...(fix !== undefined && { fix }), exitCode: EXIT.usage });
  const item = id === undefined ? undefined : Number(id);
  if (item !== undefined && !(Number.isSafeInteger(item) && item > 0))
    return usage(`${JSON.stringify(id)} is not the number of an item.`, "See tuitbot approve --list.");
  if (reason !== undefined && !reject)
    return usage("--reason needs --reject.", "Give --id N --reject --reason TEXT.");
  if (yes && reject) return usage("--yes and --reject contradict each other.", "Give one of them.");
  if (yes || reject)
    return item === undefined
      ? usage(`${yes ? "--yes" : "--reject"} needs --id: name the item that you have looked at.`)
      : ok({ kind: yes ? "approve" : "reject", id: item, reason });
  if (list || isJson) return ok({ kind: "show", id: item });
  return isInteractive
    ? ok({ kind: "ask", id: item })
    : usage(
        "This is not a terminal, so nobody can be asked.",
        "Look with tuitbot approve --list, then decide with --id N --yes or --id N --reject.",
      );
}
