import { type CommandFailure, type CommandOutcome, EXIT } from "@toolpact/cli";
import type { SimilarFor } from "@toolpact/contract/internal/guards";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { type Context, loadedConfig } from "../context.ts";
import { command } from "../machine.ts";

export const approve = command({
  name: "approve",
  describe: "Approve, reject or edit pending items, with one key each",
  details:
    "An approved item is sent at once, exactly as shown and exactly once. After an edit in $EDITOR the item is shown again before you can approve it. Without a terminal nothing is approved, unless approvals.allow_without_terminal is set.",
  options: {
    list: { kind: "flag", describe: "List pending items without asking" },
    id: { kind: "value", placeholder: "ITEM", describe: "Number of an item, such as 7" },
    yes: { kind: "flag", describe: "Approve the item of --id without asking, in a terminal" },
    similar: {
      kind: "value",
      placeholder: "PERIOD",
      describe: "With --yes: let calls like the item of --id through for a day or a week as well",
      choices: ["day", "week"],
    },
    reject: { kind: "flag", describe: "Reject the item of --id without asking" },
    sandbox: {
      kind: "flag",
      describe: "Show the items of a running sandbox; the default if nobody is signed in",
    },
    text: {
      kind: "value",
      placeholder: "TEXT",
      describe: "Replace the text of the item of --id, which stays pending",
    },
    posted: { kind: "flag", describe: "X did not answer, and you found the item of --id there" },
    "not-posted": { kind: "flag", describe: "X did not answer, and the item of --id is not there" },
    reason: { kind: "value", placeholder: "TEXT", describe: "With --reject: the reason, shown to the agent" },
  },
  examples: [
    { line: "tuitbot approve", does: "a approves, r rejects, e edits, s skips, q quits" },
    { line: "tuitbot approve --list --output json", does: "lists the items for a script" },
    { line: "tuitbot approve --id 7 --yes", does: "approves item 7" },
    {
      line: "tuitbot approve --id 7 --yes --similar day",
      does: "approves item 7, and up to 5 calls like it until tomorrow",
    },
    { line: 'tuitbot approve --id 7 --reject --reason "Too salesy"', does: "rejects item 7 and says why" },
    { line: 'tuitbot approve --id 7 --text "Shorter."', does: "edits item 7, which stays pending" },
    { line: "tuitbot approve --id 7 --posted", does: "settles item 7, whose answer was lost" },
  ],
  async run(
    { list, id, yes, similar, reject, reason, text, posted, "not-posted": notPosted, sandbox },
    context,
  ) {
    const request = requestOf(
      { list, id, yes, similar, reject, reason, text, posted, notPosted },
      context.isJson,
      context.terminal.isInteractive,
    );
    if (!request.ok) return request;
    const refused = request.value.kind === "approve" ? await refusedHere(context) : undefined;
    if (refused !== undefined) return refused;
    const { runApproval } = await import("./run-approval.ts");
    return runApproval(request.value, context, sandbox ? "always" : "signed_out");
  },
});

/** Why nobody may approve anything here; undefined if they may. */
export async function refusedHere(
  context: Context,
): Promise<Extract<CommandOutcome, { ok: false }> | undefined> {
  if (context.terminal.isInteractive) return undefined;
  const config = await loadedConfig(context);
  if (!config.ok) return config;
  return config.value.values.approvals.allow_without_terminal ? undefined : NO_TERMINAL;
}

/** A program can open its own terminal, so this only makes it harder. A passkey or another OS user prevents it. */
const NO_TERMINAL = failed({
  message:
    "Nothing was approved: this is not a terminal, so it could be a program that approves in your name. A program can imitate a terminal too; a passkey, or another user for the agent, prevents that.",
  fix: "Approve in a terminal, in the web app (tuitbot web) or with a passkey there. If a script of yours has to approve, set approvals.allow_without_terminal = true.",
  exitCode: EXIT.usage,
});

interface Given {
  readonly list: boolean;
  readonly id: string | undefined;
  readonly yes: boolean;
  readonly similar: SimilarFor | undefined;
  readonly reject: boolean;
  readonly reason: string | undefined;
  readonly text: string | undefined;
  readonly posted: boolean;
  readonly notPosted: boolean;
}

/** The decision for one item, or for all that wait. */
export type ApprovalRequest = { readonly reason?: string | undefined } & (
  | { readonly kind: "show" | "ask"; readonly id: number | undefined }
  | { readonly kind: "approve"; readonly id: number; readonly similar: SimilarFor | undefined }
  | { readonly kind: "reject" | "posted" | "not_posted"; readonly id: number }
  | { readonly kind: "edit"; readonly id: number; readonly text: string }
);

function requestOf(
  { list, id, yes, similar, reject, reason, text, posted, notPosted }: Given,
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
  if (similar !== undefined && !yes)
    return usage("--similar needs --yes.", "Give --id N --yes --similar day.");
  const decisions = [
    ...(yes ? [["--yes", "approve"] as const] : []),
    ...(reject ? [["--reject", "reject"] as const] : []),
    ...(posted ? [["--posted", "posted"] as const] : []),
    ...(notPosted ? [["--not-posted", "not_posted"] as const] : []),
    ...(text === undefined ? [] : [["--text", "edit"] as const]),
  ];
  const [first, second] = decisions;
  if (first !== undefined && second !== undefined)
    return usage(`${first[0]} and ${second[0]} contradict each other.`, "Give one of them.");
  if (first !== undefined) {
    const [option, kind] = first;
    if (item === undefined) return usage(`${option} needs --id: name the item that you have looked at.`);
    if (kind === "edit") return ok({ kind, id: item, text: text ?? "" });
    return ok(kind === "approve" ? { kind, id: item, similar } : { kind, id: item, reason });
  }
  if (list || isJson) return ok({ kind: "show", id: item });
  return isInteractive
    ? ok({ kind: "ask", id: item })
    : usage(
        "This is not a terminal, so nobody can be asked.",
        "Look with tuitbot approve --list, and decide in a terminal or the web app (tuitbot web).",
      );
}
