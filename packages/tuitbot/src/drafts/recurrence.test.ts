import { DAY_MS } from "@toolpact/contract/internal";
import { describe, expect, test } from "vitest";
import { occurrencesOf } from "./recurrence.ts";

// A Tuesday, noon in Vienna.
const now = Date.parse("2026-10-20T12:00:00+02:00");
const timezone = "Europe/Vienna";

async function times(repeats: string, until: string): Promise<readonly string[] | string> {
  const found = await occurrencesOf({ repeats, timezone, until: Date.parse(until) }, now);
  return found.ok ? found.value.map((at) => new Date(at).toISOString()) : found.failure.message;
}

describe("a recurrence", () => {
  test.each([
    ["Thu 09:30", ["2026-10-22T07:30:00.000Z", "2026-10-29T08:30:00.000Z"]],
    ["30 9 * * thu", ["2026-10-22T07:30:00.000Z", "2026-10-29T08:30:00.000Z"]],
    ["mon, wed 7:05", ["2026-10-21T05:05:00.000Z", "2026-10-26T06:05:00.000Z", "2026-10-28T06:05:00.000Z"]],
    ["weekly on Thursday at 09:30", ["2026-10-22T07:30:00.000Z", "2026-10-29T08:30:00.000Z"]],
    [
      "Every Wednesday and Mon at 7:05",
      ["2026-10-21T05:05:00.000Z", "2026-10-26T06:05:00.000Z", "2026-10-28T06:05:00.000Z"],
    ],
    ["every Wednesday 6 pm", ["2026-10-21T16:00:00.000Z", "2026-10-28T17:00:00.000Z"]],
    ["Wed 12am", ["2026-10-20T22:00:00.000Z", "2026-10-27T23:00:00.000Z"]],
    ["0 18 21,31 * *", ["2026-10-21T16:00:00.000Z"]],
    // Skipped or repeated by the clocks.
    ["Sun 02:30", ["2026-10-25T00:30:00.000Z"]],
  ])("%s is the time of day in its zone, also when the clocks change", async (repeats, expected) => {
    expect(await times(repeats, "2026-10-30T12:00:00Z")).toEqual(expected);
  });

  test.each(["12:30", "daily at 12:30", "every day 12:30", "every day at 12:30 pm"])(
    "%s is daily, up to and with its end",
    async (repeats) => {
      expect(await times(repeats, "2026-10-22T10:30:00Z")).toEqual([
        "2026-10-20T10:30:00.000Z",
        "2026-10-21T10:30:00.000Z",
        "2026-10-22T10:30:00.000Z",
      ]);
    },
  );

  test.each([
    "",
    "Foo 09:30",
    "Mon 25:00",
    "every monday",
    "weekly 09:30",
    "Monthly 09:30",
    "* * * * * *",
    "61 9 * * *",
    "09:30 Mon",
    "Mon 9",
    "Mon 13:00 pm",
  ])("%j is refused with both forms", async (repeats) => {
    expect(await times(repeats, "2027-01-01T00:00:00Z")).toMatch(/Mon,Thu 09:30.*cron expression/);
  });

  test("has an end that it reaches, and is not longer than a person can read", async () => {
    expect(await times("Mon 09:30", "2026-10-21T00:00:00Z")).toContain("does not occur before");
    expect(await times("* * * * *", "2026-12-01T00:00:00Z")).toContain("more than 100 posts");
  });
});

/** Clock changes of an hour, half an hour or two, at night or at midnight. */
const ZONES = [
  "Europe/Berlin",
  "Europe/Dublin",
  "Atlantic/Azores",
  "America/New_York",
  "America/Havana",
  "America/Santiago",
  "America/Nuuk",
  "Africa/Cairo",
  "Asia/Beirut",
  "Australia/Lord_Howe",
  "Pacific/Auckland",
  "Antarctica/Troll",
];

test.each(ZONES)("a daily post occurs once on every day of a year in %s", async (timezone) => {
  const dayIn = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone });
  const from = Date.parse("2026-12-31T12:00:00Z");
  for (const time of ["00:00", "00:30", "01:30", "02:00", "02:30", "03:00", "22:59"]) {
    const days: string[] = [];
    // A series has at most 100.
    for (let part = 0; part < 4; part++) {
      const [start, until] = [from + part * 90 * DAY_MS, from + (part + 1) * 90 * DAY_MS];
      const found = await occurrencesOf({ repeats: time, timezone, until }, start);
      if (!found.ok) throw new Error(found.failure.message);
      days.push(...found.value.map((at) => dayIn.format(at)));
    }
    const expected = Array.from({ length: days.length }, (_, index) =>
      new Date(Date.parse(`${days[0]}T00:00:00Z`) + index * DAY_MS).toISOString().slice(0, 10),
    );
    expect(days, time).toEqual(expected);
  }
});

describe("a time that the clocks skip up to midnight", () => {
  const nuuk = async (repeats: string, until = "2027-03-29T12:00:00Z") => {
    const found = await occurrencesOf(
      { repeats, timezone: "America/Nuuk", until: Date.parse(until) },
      Date.parse("2027-03-26T12:00:00Z"),
    );
    return found.ok ? found.value.map((at) => new Date(at).toISOString()) : found.failure.message;
  };

  test.each(["23:00", "23:30", "23:59", "Sat,Fri,Sun 23:30", "30 23 26-28 3 *"])(
    "is midnight for %s, so no day goes without its post",
    async (repeats) => {
      const times = await nuuk(repeats);
      expect(times).toHaveLength(3);
      expect(times[1]).toBe("2027-03-28T01:00:00.000Z");
    },
  );

  test("is left out on a day that has other times, and occurs once if midnight is one of them", async () => {
    expect(await nuuk("0 12,23 27 * *")).toEqual(["2027-03-27T14:00:00.000Z"]);
    expect(await nuuk("30 0,23 28 3 *")).toEqual(["2027-03-28T01:30:00.000Z", "2027-03-29T00:30:00.000Z"]);
    expect(await nuuk("0 0 28 3 *")).toEqual(["2027-03-28T01:00:00.000Z"]);
    expect(await nuuk("* 23 27 3 *")).toEqual(["2027-03-28T01:00:00.000Z"]);
  });

  test("does not occur after the end", async () => {
    expect(await nuuk("23:30", "2027-03-28T00:59:00Z")).toEqual(["2027-03-27T01:30:00.000Z"]);
  });
});
