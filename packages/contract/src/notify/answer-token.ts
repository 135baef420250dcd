import { createHmac } from "node:crypto";
import { canonicalJson } from "../json.ts";
import type { Action } from "./channel.ts";
import type { ChannelName } from "./channels.ts";

/** An answer that a button of a message stands for. */
export interface ButtonAnswer {
  /** The owner of the item, such as an account or a gate. */
  readonly scope: string;
  readonly item: { readonly id: number; readonly digest: string };
  readonly person: string;
  readonly channel: ChannelName;
  readonly address: string;
  readonly action: Action;
}

/** The secret of a button. It identifies the content, the recipient and the answer. */
export function answerToken(
  key: Uint8Array,
  { scope, item: { id, digest }, person, channel, address, action }: ButtonAnswer,
): string {
  return createHmac("sha256", key)
    .update(canonicalJson(["answer", scope, id, digest, person, channel, address, action]))
    .digest("base64url")
    .slice(0, TOKEN_LENGTH);
}

/** 132 bits: buttons of Telegram hold 64 bytes. */
const TOKEN_LENGTH = 22;
