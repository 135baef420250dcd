import * as z from "zod";
import type { PostOptions } from "./toolkit/write.ts";

/** Required by X for some posts. */
export const labels = {
  made_with_ai: z.boolean().optional().describe("true: label its media as made with AI"),
  paid_partnership: z.boolean().optional().describe("true: label it as a paid partnership"),
};

export const reply_settings = z
  .enum(["following", "mentionedUsers", "subscribers", "verified"])
  .optional()
  .describe("Who may reply; everybody if left out");

/** Besides text and media. */
export const postOptions = {
  poll_options: z
    .array(z.string().min(1).max(25))
    .min(2)
    .max(4)
    .optional()
    .describe("Makes it a poll: 2 to 4 answers of up to 25 characters, without media"),
  poll_minutes: z
    .int()
    .min(5)
    .max(10_080)
    .optional()
    .describe("How long the poll is open, 5–10080, default 1440"),
  reply_settings,
  community_id: z
    .string()
    .regex(/^\d{1,19}$/)
    .optional()
    .describe("Post it to this community"),
  ...labels,
};

export type OptionArguments = Partial<z.output<z.ZodObject<typeof postOptions>>>;

const DAY_MINUTES = 1_440;

/** Without labels that are not set. */
export function optionsIn(given: OptionArguments): PostOptions {
  const { poll_options, poll_minutes = DAY_MINUTES, reply_settings, community_id } = given;
  return {
    ...(poll_options && { poll: { options: poll_options, duration_minutes: poll_minutes } }),
    ...(reply_settings && { reply_settings }),
    ...(community_id && { community_id }),
    ...(given.made_with_ai && { made_with_ai: true }),
    ...(given.paid_partnership && { paid_partnership: true }),
  };
}
