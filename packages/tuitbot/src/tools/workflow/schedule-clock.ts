import * as z from "zod";

/** In every answer with times of the schedule. */
export const clockShape = {
  now: z.string(),
  time_zone: z.string().describe("Of schedule.posting_slots and `repeats`"),
};

export function clockView({
  now,
  slots,
}: {
  readonly now: () => number;
  readonly slots: { readonly timezone: string };
}) {
  return { now: new Date(now()).toISOString(), time_zone: slots.timezone };
}
