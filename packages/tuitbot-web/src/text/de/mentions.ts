import { count, plural } from "../../format/numbers.ts";
import type * as english from "../en/mentions.ts";

export const mentions: typeof english.mentions = {
  lead: "Menschen, die dir geantwortet, dich erwähnt, zitiert oder angeschrieben haben.",
  show: "Zeigen",
  states: (state: "open" | "snoozed" | "answered" | "done", value: number) =>
    `${{ open: "Offen", snoozed: "Zurückgestellt", answered: "Beantwortet", done: "Erledigt" }[state]}${value > 0 ? ` ${count(value)}` : ""}`,
  check: "Jetzt nachsehen",
  read: (value: number) => plural(value, { one: "# neue Erwähnung.", other: "# neue Erwähnungen." }),
  none: "Noch keine Erwähnungen",
  empty: {
    open: "Alles erledigt",
    snoozed: "Nichts ist zurückgestellt",
    answered: "Noch nichts ist beantwortet",
    done: "Nichts ist als erledigt markiert",
  },
  emptyWhat:
    "Erwähnungen erscheinen hier, während der Autopilot läuft oder wenn du jetzt nachsiehst. X berechnet jede, die gelesen wird.",
  snooze: "Später",
  snoozeUntil: "Bis morgen um 9:00",
  assign: "Zuständig",
  nobody: "niemand",
  assigned: (name: string | null) => (name === null ? "Niemand ist zuständig." : `Zuständig: ${name}.`),
  messages: {
    title: "Nachrichten",
    read: "Nachrichten lesen",
    cost: "X berechnet jede Nachricht, die gelesen wird. Sie werden hier nicht gespeichert.",
    unread: "Nachrichten sind noch nicht gelesen",
    none: "Keine Nachrichten",
    what: "Direktnachrichten der letzten 30 Tage erscheinen hier, nach Gespräch.",
    answered: "beantwortet",
  },
  finish: "Erledigt",
  reopen: "Wieder öffnen",
  snoozed: (until: string) => `Zurückgestellt bis ${until}.`,
  until: (until: string) => `Zurückgestellt bis ${until}`,
  set: { open: "Wieder geöffnet.", done: "Als erledigt markiert.", snoozed: "Zurückgestellt." },
};
