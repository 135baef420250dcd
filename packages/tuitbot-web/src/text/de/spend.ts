import { count, plural, price } from "../../format/numbers.ts";
import type * as english from "../en/spend.ts";

const planned = (posts: number) => plural(posts, { one: "# geplanter Post", other: "# geplante Posts" });
const requests = (calls: number) => plural(calls, { one: "# Anfrage", other: "# Anfragen" });

export const spend: typeof english.spend = {
  lead: "Was X nach seiner Preisliste berechnet, und deine Limits dazu.",
  span: "Zeitraum",
  days: (value: number) => plural(value, { one: "# Tag", other: "# Tage" }),
  today: "Heute",
  month: "Dieser Monat",
  forecast: "Prognose für diesen Monat",
  forecastHow: (posts: number, perDay: string) =>
    `mit ${plural(posts, { one: "# geplanten Post", other: "# geplanten Posts" })}, und ${perDay} am Tag für den Rest`,
  forecastLater: "Ab dem ersten ganzen Tag",
  tooEarly: "Noch zu wenige Daten",
  noCap: "kein Limit gesetzt",
  ofCap: (cap: number, part: string) => `${part} von ${price(cap)}`,
  capOf: (cap: number) => `Limit ${price(cap)}`,
  perDay: "Pro Tag",
  utc: (cost: string, calls: number) =>
    `Tage zählen in UTC, wie auf der Rechnung von X. Insgesamt: ${cost}, ${requests(calls)}.`,
  day: "Tag",
  cost: "Kosten",
  requestsHead: "Anfragen",
  perOperation: "Nach Art der Anfrage",
  perCaller: "Nach Agent",
  callerNote:
    "Wer es ausgegeben hat: deine Agenten, die Automatik und Menschen. Ein Post, den du freigibst, zählt für den Agenten, der gefragt hat.",
  callerUnknown: "nicht aufgezeichnet",
  loop: (name: string) => `Automatik: ${name}`,
  itself: "tuitbot selbst",
  drafts: "Veröffentlichte Entwürfe",
  person: (name: string) => `${name}, im Dashboard`,
  week: "Nächste 7 Tage",
  weekHow: (scheduled: number, cost: string, other: string) =>
    `${planned(scheduled)} für ${cost}, und ${other} am Tag für den Rest`,
  weekUnknown: (scheduled: number, cost: string) =>
    `${planned(scheduled)} für ${cost}; der Rest ist nach einem ganzen Tag bekannt`,
  weekTitle: "Prognose für die nächsten 7 Tage",
  weekOther: (days: number) =>
    plural(days, {
      one: "Alles andere, wie am letzten Tag",
      other: "Alles andere, wie in den letzten # Tagen",
    }),
  weekWaits: "braucht Freigabe",
  weekNothing: "Nichts ist geplant.",
  operationNote: (calls: number, failed: number) =>
    `${requests(calls)}${failed === 0 ? "" : `, ${count(failed)} gescheitert`}`,
  operations: {
    createPosts: "Posts veröffentlichen",
    deletePosts: "Posts löschen",
    searchPostsRecent: "Posts suchen",
    getPostsByIds: "Zahlen von Posts lesen",
    getPostsById: "Einen Post lesen",
    getUsersMe: "Dein Profil lesen",
    getUsersMentions: "Erwähnungen lesen",
    getUsersPosts: "Posts einer Person lesen",
    getUsersByUsername: "Eine Person nachschlagen",
    createMediaMetadata: "Bildbeschreibung hinzufügen",
  },
  empty: "Keine Anfragen in diesem Zeitraum",
  emptyWhat: "Jede Anfrage an X erscheint hier mit ihrem Preis.",
};
