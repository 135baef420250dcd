import { count, plural } from "../../format/numbers.ts";
import type * as english from "../en/calendar.ts";

export const calendar: typeof english.calendar = {
  lead: (zone: string) => `Deine geplanten Posts. Zeiten in ${zone}.`,
  zone: "Zeitzone",
  span: "Zeitraum",
  week: "Woche",
  month: "Monat",
  list: "Liste",
  before: "Früher",
  after: "Später",
  create: "Neuer Post",
  writeAt: (time: string) => `Einen Post für ${time} schreiben`,
  nothing: "Nichts geplant",
  legend: {
    approved: "geplant",
    waits: "braucht Freigabe",
    published: "veröffentlicht",
    slot: "freier Termin",
    "quiet-hour": "außerhalb der aktiven Zeiten",
  },
  states: { approved: "Geplant", waits: "Braucht deine Freigabe", published: "Veröffentlicht" },
  best: (hours: readonly string[]) => `deine besten Stunden: ${hours.join(", ")}`,
  bestHour: (time: string, posts: number) =>
    `${time} (${plural(posts, { one: "# Post", other: "# Posts" })})`,
  noBest: "beste Stunden: sichtbar, sobald eine Stunde fünf gemessene Posts hat",
  how: "Klicke auf eine Stunde, um dafür zu schreiben. Ziehe einen Post auf eine andere Zeit, oder drücke darauf Umschalt und eine Pfeiltaste.",
  move: "Verschieben",
  remove: "Löschen",
  figures: "Wie er lief",
  asksAgain: "Nicht mehr freigegeben. Der Post braucht erneut eine Freigabe.",
  approved: "Freigegeben. Er erscheint zu seiner Zeit.",
  ofSeries: (number: number, of: number) => `${count(number)} von ${count(of)}`,
  recurs: ({
    repeats,
    number,
    of,
  }: {
    readonly repeats: string;
    readonly number: number;
    readonly of: number;
  }) =>
    `Wiederkehrender Post ${count(number)} von ${count(of)}, ${repeats}. Verschoben wird nur dieser eine.`,
  moved: (at: string) => `Verschoben auf ${at}.`,
  asks: (value: number) =>
    plural(value, {
      one: "# geplanter Post braucht noch deine Freigabe.",
      other: "# geplante Posts brauchen noch deine Freigabe.",
    }),
  review: "Ansehen",
};
