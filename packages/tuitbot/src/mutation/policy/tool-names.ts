import { nearest } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";

/** The one name of a tool: as it is called, or by a name that older configurations use. */
export function canonicalTool(name: string, known: readonly string[]): Outcome<string, string> {
  const spelt = [name, `x_${name}`, ALIASES[name]].find((candidate) => known.includes(candidate ?? ""));
  if (spelt !== undefined) return ok(spelt);
  const guess = nearest(name, known);
  return failed(
    `names no tool: ${JSON.stringify(name)}.${guess === undefined ? "" : ` Did you mean ${guess}?`}`,
  );
}

/** Names beside those that only lack the `x_`. */
const ALIASES: Readonly<Record<string, string>> = {
  reply_to_post: "x_reply_to_tweet",
  repost: "x_retweet",
  unrepost: "x_unretweet",
  upload: "x_upload_media",
  send_dm: "x_v2_dm_send_to_participant",
};
