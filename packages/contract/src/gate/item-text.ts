import type { ApprovalItem } from "../guards/approval-item.ts";
import { formatDuration, visible } from "../guards/shown-text.ts";
import { callParts, partsText } from "./call-parts.ts";
import { changeShown } from "./shown-call.ts";

/** A waiting item as text, with the exact call. */
export async function itemText(
  { id, tool, args, reason, client, context, createdAt, expiresAt }: ApprovalItem,
  now: number,
  readsFiles: boolean,
): Promise<string> {
  const change = changeShown(context);
  return [
    `Item ${id}: ${visible(tool)}`,
    `  Called ${formatDuration(now - createdAt)} ago by ${client === undefined ? "an unnamed client" : visible(JSON.stringify(client))}, expires in ${formatDuration(expiresAt - now)}.`,
    `  ${visible(reason)}`,
    ...(change === undefined ? [] : [indented(change)]),
    indented(partsText(await callParts(args, readsFiles))),
    "",
  ].join("\n");
}

export function indented(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}
