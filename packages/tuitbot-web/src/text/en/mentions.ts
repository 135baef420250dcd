import { count, plural } from "../../format/numbers.ts";

export const mentions = {
  lead: "People who replied to you, mentioned you or quoted you.",
  show: "Show",
  states: (state: "open" | "snoozed" | "answered" | "done", value: number) =>
    `${{ open: "Unanswered", snoozed: "Snoozed", answered: "Answered", done: "Done" }[state]} ${count(value)}`,
  check: "Check now",
  read: (value: number) => plural(value, { one: "# new mention.", other: "# new mentions." }),
  empty: {
    open: "You're all caught up",
    snoozed: "Nothing is snoozed",
    answered: "Nothing is answered yet",
    done: "Nothing is marked as done",
  },
  emptyWhat:
    "Mentions appear here while automation runs, or when you check now. X charges for each one that is read.",
  snooze: "Snooze until tomorrow",
  finish: "Done",
  reopen: "Reopen",
  snoozed: (until: string) => `Snoozed until ${until}.`,
  until: (until: string) => `Snoozed until ${until}`,
  set: { open: "Reopened.", done: "Marked as done.", snoozed: "Snoozed." },
};
