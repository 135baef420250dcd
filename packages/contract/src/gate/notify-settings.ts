import { failed, type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import type { Addressed, ChannelSettings } from "../notify/channels.ts";
import { environmentFiller } from "./server-place.ts";

/** Approvers and the channels that reach them. */
export interface NotifySettings extends ChannelSettings {
  readonly people: readonly Addressed[];
}

const text = z.string().min(1).optional();
const address = z.url({ protocol: /^https?$/ });

/** The section `[notify]` of a policy. In its values, `${NAME}` stands for a variable of the environment. */
export const notifySection = z.strictObject({
  telegram_bot_token: text,
  telegram_api_url: address.default("https://api.telegram.org"),
  slack_bot_token: text,
  slack_app_token: text,
  slack_api_url: address.default("https://slack.com/api/"),
  smtp_url: text,
  email_from: text,
  ntfy_url: address.default("https://ntfy.sh"),
  ntfy_token: text,
  webhook_secret: text,
  people: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(100),
        telegram_id: z.string().regex(/^\d+$/, "is not a numeric id").optional(),
        slack_id: z
          .string()
          .regex(/^[UW][A-Z0-9]+$/, "is not a member id such as U012AB3CD")
          .optional(),
        email: z.email().optional(),
        ntfy_topic: text,
        webhook_url: text,
      }),
    )
    .min(1)
    .max(100)
    .refine((people) => new Set(people.map(({ name }) => name)).size === people.length, {
      message: "give each person another name",
    }),
});

/** Fills in variables of the environment. Fails with a sentence if one is not set. */
export function notifySettings(
  section: z.output<typeof notifySection>,
  env: NodeJS.ProcessEnv,
): Outcome<NotifySettings, string> {
  const { filled, missing } = environmentFiller(env);
  const { people, ...settings } = section;
  const filledAll = <T extends object>(values: T): T =>
    // Every value is a text or absent, and remains so.
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, value === undefined ? value : filled(value)]),
    ) as T;
  const given = { ...filledAll(settings), people: people.map(filledAll) };
  const problem = missing();
  return problem === undefined ? ok(given) : failed(`[notify] cannot be used: ${problem}`);
}
