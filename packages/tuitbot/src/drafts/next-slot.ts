import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import { localTime, timeOnDay } from "../config/schedule-window.ts";
import { errors } from "../errors.ts";
import type { DraftContext } from "./draft.ts";

export interface SlotSetting {
  /** `09:30` for every day, or `Mon 09:30`. */
  readonly posting_slots: readonly string[];
  readonly timezone: string;
}

const MAX_DAYS = 366;
const AT_ONCE = 50;

/** Without a scheduled post. */
export async function nextSlot(
  { store, account, now }: DraftContext,
  setting: SlotSetting,
): Promise<Outcome<number, Failure<"invalid_input">>> {
  const slots = [...slotsAfter(now(), setting)];
  for (let from = 0; from < slots.length; from += AT_ONCE) {
    const some = slots.slice(from, from + AT_ONCE);
    const rows = await store.db
      .selectFrom("scheduled_posts")
      .select("due_at")
      .where("account", "=", account)
      .where("status", "in", ["scheduled", "publishing", "queued"])
      .where("due_at", "in", some)
      .execute();
    const taken = new Set(rows.map(({ due_at }) => due_at));
    const free = some.find((slot) => !taken.has(slot));
    if (free !== undefined) return ok(free);
  }
  return errors.fail("invalid_input", "There is no free posting slot within a year.", {
    suggestedFix: "Give an exact time, or add times to schedule.posting_slots.",
    fixBy: "operator",
  });
}

/** In order. */
export function* slotsAfter(now: number, { posting_slots, timezone }: SlotSetting): Generator<number> {
  // Noon is on the same day, whatever the clocks do at night.
  const noon = timeOnDay("12:00", now, timezone);
  for (let days = 0; days < MAX_DAYS; days++) {
    const at = noon + days * DAY_MS;
    const { day } = localTime(at, timezone);
    const times = posting_slots.flatMap((slot) => {
      const [time = "", name = day] = slot.split(" ").reverse();
      return name.toLowerCase() === day ? [timeOnDay(time, at, timezone)] : [];
    });
    yield* [...new Set(times)].filter((time) => time > now).sort((a, b) => a - b);
  }
}
