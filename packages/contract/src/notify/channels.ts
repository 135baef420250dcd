import type { Message, Service } from "./channel.ts";

export interface ChannelSettings {
  readonly telegram_bot_token?: string | undefined;
  readonly telegram_api_url: string;
  readonly slack_bot_token?: string | undefined;
  readonly slack_app_token?: string | undefined;
  readonly slack_api_url: string;
  readonly smtp_url?: string | undefined;
  readonly email_from?: string | undefined;
  readonly ntfy_url: string;
  readonly ntfy_token?: string | undefined;
  readonly webhook_secret?: string | undefined;
}

export interface Addressed {
  readonly name: string;
  readonly telegram_id?: string | undefined;
  readonly slack_id?: string | undefined;
  readonly email?: string | undefined;
  readonly ntfy_topic?: string | undefined;
  readonly webhook_url?: string | undefined;
}

export interface Sender {
  readonly name: string;
  /** Shows waiting items. */
  readonly command: string;
}

/** A new channel is a row here, its file in `channels/`, its settings and its address. */
export const CHANNELS = {
  telegram: channel("telegram_id", ["telegram_bot_token"], async ({ settings }) => {
    const { telegramChannel } = await import("./channels/telegram.ts");
    return telegramChannel({ token: settings.telegram_bot_token, apiUrl: settings.telegram_api_url });
  }),
  slack: channel("slack_id", ["slack_bot_token"], async ({ settings, fetch, sender }) => {
    const { slackChannel } = await import("./channels/slack.ts");
    const { slack_bot_token: botToken, slack_app_token: appToken, slack_api_url: apiUrl } = settings;
    return slackChannel({ botToken, appToken, apiUrl, product: sender.name, fetch });
  }),
  email: channel("email", ["smtp_url", "email_from"], async ({ settings, signInLink }) => {
    const { emailChannel } = await import("./channels/email.ts");
    return emailChannel({ smtpUrl: settings.smtp_url, from: settings.email_from, signInLink });
  }),
  ntfy: channel("ntfy_topic", [], async ({ settings, fetch, sender }) => {
    const { ntfyChannel } = await import("./channels/ntfy.ts");
    return ntfyChannel({
      url: settings.ntfy_url,
      token: settings.ntfy_token,
      command: sender.command,
      fetch,
    });
  }),
  webhook: channel("webhook_url", ["webhook_secret"], async ({ settings, fetch, now, sender }) => {
    const { webhookChannel } = await import("./channels/webhook.ts");
    return webhookChannel({ secret: settings.webhook_secret, product: sender.name, fetch, now });
  }),
} as const;

export type ChannelName = keyof typeof CHANNELS;

export interface Channel extends Service {
  readonly name: ChannelName;
  /** Undefined if the channel does not reach the person. */
  readonly addressOf: (person: Addressed) => string | undefined;
}

export interface ChannelContext {
  readonly notify: ChannelSettings & { readonly people: readonly Addressed[] };
  readonly sender: Sender;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly signInLink: (email: string, message: Message) => Promise<string | undefined>;
}

/** Loads the code of a channel only if somebody has an address for it. */
export async function openChannels({ notify, ...context }: ChannelContext): Promise<{
  readonly channels: ReadonlyMap<ChannelName, Channel>;
  /** Required settings that are not set. */
  readonly missing: readonly string[];
}> {
  const channels = new Map<ChannelName, Channel>();
  const missing: string[] = [];
  // The table's keys are the channels' names.
  for (const name of Object.keys(CHANNELS) as ChannelName[]) {
    const { address, required, open } = CHANNELS[name];
    const addressOf = (person: Addressed) => person[address];
    if (!notify.people.some((person) => addressOf(person) !== undefined)) continue;
    const lacking = required.find((key) => notify[key] === undefined);
    if (lacking !== undefined) missing.push(`notify.${lacking}`);
    else channels.set(name, { ...(await open({ ...context, settings: notify })), name, addressOf });
  }
  return { channels, missing };
}

interface Row {
  readonly address: Exclude<keyof Addressed, "name">;
  readonly required: readonly (keyof ChannelSettings)[];
  readonly open: (
    context: Omit<ChannelContext, "notify"> & { readonly settings: ChannelSettings },
  ) => Promise<Service>;
}

/** Settings in `required` have a value. */
function channel<Key extends keyof ChannelSettings>(
  address: Row["address"],
  required: readonly Key[],
  open: (
    context: Omit<ChannelContext, "notify"> & {
      readonly settings: ChannelSettings & { readonly [K in Key]-?: NonNullable<ChannelSettings[K]> };
    },
  ) => Promise<Service>,
): Row {
  // `openChannels` has checked that every required setting has a value.
  return { address, required, open: open as Row["open"] };
}
