import { createHmac } from "node:crypto";
import { ok } from "@toolpact/outcome";
import type { Message, Service } from "../channel.ts";
import { sendJson } from "./send-http.ts";

export interface WebhookSetting {
  /** As Standard Webhooks writes keys: base64, with or without `whsec_`. */
  readonly secret: string;
  readonly fetch: typeof globalThis.fetch;
  /** By the clock of this machine: receivers compare it with theirs. */
  readonly now: () => number;
}

/** Messages as JSON, signed as Standard Webhooks says: id, time and body, so that none can be replayed or changed. */
export function webhookChannel({ secret, fetch, now }: WebhookSetting): Service {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const post = (url: string, id: string, message: Message, signal: AbortSignal) => {
    const { title, text, link, item } = message;
    const seconds = String(Math.floor(now() / 1_000));
    const body = JSON.stringify({
      type: `tuitbot.${message.kind}`,
      timestamp: new Date(now()).toISOString(),
      data: {
        title,
        text,
        link: link ?? null,
        // The secrets of buttons stay here: whoever gets a webhook decides on the page.
        item: item === undefined ? null : { id: item.id, status: item.status },
      },
    });
    const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": seconds,
      "webhook-signature": `v1,${signature}`,
    };
    return sendJson(fetch, "The webhook", { url, headers, body }, signal);
  };
  return {
    async send(url, message, signal) {
      const sent = await post(url, message.id, message, signal);
      return sent.ok ? ok(message.id) : sent;
    },
    // Another event about the same item, so it has an id of its own.
    update: (url, sent, message, signal) =>
      post(url, `${sent}-${message.item?.status ?? "changed"}`, message, signal),
  };
}
