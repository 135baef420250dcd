import { createHmac } from "node:crypto";
import { ok } from "@toolpact/outcome";
import type { Message, Service } from "../channel.ts";
import { sendJson } from "./send-http.ts";

export interface WebhookSetting {
  /** In Standard Webhooks' format: base64, with or without `whsec_`. */
  readonly secret: string;
  /** Begins every event's type. */
  readonly product: string;
  readonly fetch: typeof globalThis.fetch;
  /** This machine's clock; receivers compare it with theirs. */
  readonly now: () => number;
}

/** Signed as in Standard Webhooks; the signature of id, time and body prevents replay and changes. */
export function webhookChannel({ secret, product, fetch, now }: WebhookSetting): Service {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const post = (url: string, id: string, message: Message, signal: AbortSignal) => {
    const { title, text, link, item } = message;
    const seconds = String(Math.floor(now() / 1_000));
    const body = JSON.stringify({
      type: `${product}.${message.kind}`,
      timestamp: new Date(now()).toISOString(),
      data: {
        title,
        text,
        link: link ?? null,
        // Buttons' secrets are not sent: recipients decide on the dashboard.
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
    // A separate event about the same item.
    update: (url, sent, message, signal) =>
      post(url, `${sent}-${message.item?.status ?? "changed"}`, message, signal),
  };
}
