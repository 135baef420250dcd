import type { Config } from "../config/schema.ts";
import type { Channel, ChannelName, Message } from "./channel.ts";

export interface ChannelSetting {
  readonly notify: Config["notify"];
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly signInLink: (email: string, message: Message) => Promise<string | undefined>;
}

/** A channel that somebody is to be reached by, or what is missing for it. */
export interface OpenedChannels {
  readonly channels: ReadonlyMap<ChannelName, Channel>;
  readonly missing: readonly string[];
}

/** Opens the channels that people have addresses for. The code of each is loaded only if it is used. */
export async function openChannels(setting: ChannelSetting): Promise<OpenedChannels> {
  const { notify, fetch, now, signInLink } = setting;
  const isUsed = (address: "telegram_id" | "slack_id" | "email" | "ntfy_topic" | "webhook_url") =>
    notify.people.some((person) => person[address] !== undefined);
  const channels: Channel[] = [];
  const missing: string[] = [];
  if (isUsed("telegram_id")) {
    const { telegram_bot_token: token, telegram_api_url: apiUrl } = notify;
    if (token === undefined) missing.push("notify.telegram_bot_token");
    else channels.push((await import("./channels/telegram.ts")).telegramChannel({ token, apiUrl }));
  }
  if (isUsed("slack_id")) {
    const { slack_bot_token: botToken, slack_app_token: appToken, slack_api_url: apiUrl } = notify;
    if (botToken === undefined) missing.push("notify.slack_bot_token");
    else
      channels.push(
        (await import("./channels/slack.ts")).slackChannel({ botToken, appToken, apiUrl, fetch }),
      );
  }
  if (isUsed("email")) {
    const { smtp_url: smtpUrl, email_from: from } = notify;
    if (smtpUrl === undefined) missing.push("notify.smtp_url");
    else if (from === undefined) missing.push("notify.email_from");
    else channels.push((await import("./channels/email.ts")).emailChannel({ smtpUrl, from, signInLink }));
  }
  if (isUsed("ntfy_topic")) {
    const { ntfy_url: url, ntfy_token: token } = notify;
    channels.push((await import("./channels/ntfy.ts")).ntfyChannel({ url, token, fetch }));
  }
  if (isUsed("webhook_url")) {
    const { webhook_secret: secret } = notify;
    if (secret === undefined) missing.push("notify.webhook_secret");
    else channels.push((await import("./channels/webhook.ts")).webhookChannel({ secret, fetch, now }));
  }
  return { channels: new Map(channels.map((channel) => [channel.name, channel])), missing };
}
