import { ok } from "@toolpact/outcome";
import type { Message, Service } from "../channel.ts";
import { sendJson } from "./send-http.ts";

export interface NtfySetting {
  readonly url: string;
  readonly token: string | undefined;
  /** Shown if a message is too long. */
  readonly command: string;
  readonly fetch: typeof globalThis.fetch;
}

/** ntfy turns longer messages into a file, which phones do not show. */
const MAX_BYTES = 3_500;

/** Anyone who knows the topic can read and write it, so replies are ignored and the button opens the dashboard. */
export function ntfyChannel({ url, token, command, fetch }: NtfySetting): Service {
  const post = (topic: string, message: Message, signal: AbortSignal) => {
    const { id, title, text, link, kind } = message;
    const body = JSON.stringify({
      topic,
      title,
      message: clipped(text, link, command),
      // Replaces an earlier message with this id, so repeats are not shown twice.
      sequence_id: id,
      tags: [kind === "approval_waiting" ? "raised_hand" : "robot"],
      ...(link !== undefined && { click: link, actions: [{ action: "view", label: "Open", url: link }] }),
    });
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return sendJson(fetch, "ntfy", { url: new URL("/", url).href, headers, body }, signal);
  };
  return {
    async send(topic, message, signal) {
      const sent = await post(topic, message, signal);
      return sent.ok ? ok(message.id) : sent;
    },
    update: (topic, _sent, message, signal) => post(topic, { ...message, text: message.title }, signal),
  };
}

function clipped(text: string, link: string | undefined, command: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  const rest = link === undefined ? `Read the rest with \`${command}\`.` : "Open the page for the rest.";
  return `${new TextDecoder().decode(Buffer.from(text).subarray(0, MAX_BYTES)).replace(/\uFFFD+$/, "")}…\n${rest}`;
}
