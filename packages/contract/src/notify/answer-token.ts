import { createHmac } from "node:crypto";
import { canonicalJson } from "../json.ts";
import type { Action } from "./channel.ts";
import type { ChannelName } from "./channels.ts";

export interface ButtonAnswer {
  /** The item's owner, such as an account or gate. */
  readonly scope: string;
  readonly item: { readonly id: number; readonly digest: string };
  readonly person: string;
  readonly channel: ChannelName;
  readonly address: string;
  readonly action: Action;
}

/** A button's secret. It identifies content, recipient and answer. */
export function answerToken(
  key: Uint8Array,
  { scope, item: { id, digest }, person, channel, address, action }: ButtonAnswer,
): string {
  return createHmac("sha256", key)
    .update(canonicalJson(["answer", scope, id, digest, person, channel, address, action]))
    .digest("base64url")
    .slice(0, TOKEN_LENGTH);
}

/** 132 bits, because Telegram's buttons hold 64 bytes. */
const TOKEN_LENGTH = 22;
