import { count, plural } from "../../format/numbers.ts";

export const mentions = {
  lead: "People who replied to you, mentioned you, quoted you or wrote to you.",
  show: "Show",
  states: (state: "open" | "snoozed" | "answered" | "done", value: number) =>
    `${{ open: "Unanswered", snoozed: "Snoozed", answered: "Answered", done: "Done" }[state]}${value > 0 ? ` ${count(value)}` : ""}`,
  check: "Check now",
  read: (value: number) => plural(value, { one: "# new mention.", other: "# new mentions." }),
  none: "No mentions yet",
  empty: {
    open: "You're all caught up",
    snoozed: "Nothing is snoozed",
    answered: "Nothing is answered yet",
    done: "Nothing is marked as done",
  },
  emptyWhat:
    "Mentions appear here while automation runs, or when you check now. X charges for each one that is read.",
  snooze: "Snooze",
  snoozeUntil: "Until tomorrow at 9:00",
  assign: "Assigned to",
  nobody: "nobody",
  assigned: (name: string | null) => (name === null ? "Assigned to nobody." : `Assigned to ${name}.`),
  messages: {
    title: "Messages",
    read: "Read messages",
    cost: "X charges for each message that is read. They are not stored here.",
    unread: "Messages are not read yet",
    none: "No messages",
    what: "Direct messages of the last 30 days appear here, by conversation.",
    answered: "answered",
  },
  finish: "Done",
  reopen: "Reopen",
  snoozed: (until: string) => `Snoozed until ${until}.`,
  until: (until: string) => `Snoozed until ${until}`,
  set: { open: "Reopened.", done: "Marked as done.", snoozed: "Snoozed." },
};
