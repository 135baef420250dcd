import { DAY_MS } from "@toolpact/contract/internal";
import type { Channel, ChannelName } from "@toolpact/contract/internal/notify";
import { timeOnDay } from "../config/schedule-window.ts";
import type { Config } from "../config/schema.ts";
import type { NoticeKind, Person } from "./person.ts";

export interface Recipient {
  readonly person: Person;
  readonly channel: Channel;
  readonly address: string;
}

export type Channels = ReadonlyMap<ChannelName, Channel>;

export function recipientsOf(people: readonly Person[], channels: Channels): readonly Recipient[] {
  return people.flatMap((person) =>
    [...channels.values()].flatMap((channel) => {
      const address = channel.addressOf(person);
      return address === undefined ? [] : [{ person, channel, address }];
    }),
  );
}

export function wants({ person }: Recipient, kind: NoticeKind): boolean {
  return person.kinds.includes(kind);
}

type Times = Pick<Config["notify"], "digest_times"> & Pick<Config["schedule"], "timezone">;

/** At once or in the next digest, outside quiet hours. */
export function dueAt({ when, quiet_hours }: Person, { digest_times, timezone }: Times, now: number): number {
  const at = when === "digest" ? nextTime(digest_times, now, timezone) : now;
  if (quiet_hours === undefined) return at;
  const [start = "", end = ""] = quiet_hours.split("-");
  // Yesterday's may continue; clock changes keep their length.
  for (const day of [at - DAY_MS, at]) {
    const from = timeOnDay(start, day, timezone);
    const until = timeOnDay(end, end > start ? day : day + DAY_MS, timezone);
    if (from <= at && at < until) return until;
  }
  return at;
}

function nextTime(times: readonly string[], now: number, timezone: string): number {
  const [first = now] = [now, now + DAY_MS, now + 2 * DAY_MS]
    .flatMap((day) => times.map((time) => timeOnDay(time, day, timezone)))
    .filter((at) => at > now)
    .sort((a, b) => a - b);
  return first;
}
