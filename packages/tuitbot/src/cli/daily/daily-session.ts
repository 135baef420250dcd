import { type CommandOutcome, paint } from "@toolpact/cli";
import { DAY_MS } from "@toolpact/contract/internal";
import { formatUsd, microsOf } from "@toolpact/contract/internal/money";
import type { Services } from "../../app/services.ts";
import { dayOf } from "../../storage/days.ts";
import type { Session } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { withServices } from "../with-services.ts";

/** The services of the daily commands: the account's rows, the effective rules, and the time. */
export type DailySession = Pick<Services, "db" | "workflow" | "config">;

/** Runs some work on the data of the signed-in account. Nothing is sent to X. */
export function withDailySession(
  context: Context,
  work: (session: DailySession) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  return withServices(["db", "workflow", "config"], { profile: "write" }, context, work);
}

/** The account's name as the user knows it. */
export function accountName({ account, names }: Session): string {
  return names === undefined ? `account ${account}` : `@${names.username}`;
}

/** Rounded as on the dashboard: below one dollar to a tenth of a cent. */
export function dollars(usd: number): string {
  return formatUsd(microsOf(Number(usd.toFixed(usd < 1 ? 3 : 2))));
}

/** `$0.20 of $5.00` */
export function ofCap(usd: number, cap: number | null): string {
  return cap === null ? `${dollars(usd)}, no cap` : `${dollars(usd)} of ${dollars(cap)}`;
}

/** `+12`, `-3`, `±0` */
function change(count: number): string {
  return count === 0 ? "±0" : `${count > 0 ? "+" : ""}${count}`;
}

/** `+3 in 7 days`; where the first measurement is later, `+3 since 2026-11-18`. */
export function changeIn(
  days: number,
  count: number,
  { first, now }: { readonly first: string; readonly now: number },
) {
  return first > dayOf(now - days * DAY_MS)
    ? `${change(count)} since ${first}`
    : `${change(count)} in ${days} days`;
}

/** A time to the minute, in the time zone of the schedule: `2026-11-22 07:30`. */
export function minute(at: number | string, { config }: Pick<DailySession, "config">): string {
  return minuteIn(at, config.values.schedule.timezone);
}

export function minuteIn(at: number | string, timeZone: string): string {
  // Sweden writes times as ISO 8601 does.
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(
    new Date(at),
  );
}

export function heading(text: string, context: Pick<Context, "terminal">): string {
  return paint(context.terminal, "bold", text);
}
