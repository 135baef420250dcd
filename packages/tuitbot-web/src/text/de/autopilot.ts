import { count, plural, price } from "../../format/numbers.ts";
import type * as english from "../en/autopilot.ts";

const days = (value: number) => plural(value, { one: "# Tag", other: "# Tage" });

export const autopilot: typeof english.autopilot = {
  lead: {
    autopilot: "Die Automatik schreibt und sendet innerhalb deiner Regeln.",
    composer: "Die Automatik liest, misst und veröffentlicht, was du geplant hast. Sie schreibt nichts.",
  },
  runner: "Automatik",
  alive: "Läuft",
  none: "Läuft nicht",
  never: "sie lief noch nie",
  neverShort: "nie",
  hours: "Jetzt",
  within: "Aktive Stunden",
  outside: "Außerhalb der aktiven Stunden",
  sends: "Senden",
  asks: "Fragt dich zuerst",
  asksWhat: "alles wartet im Eingang",
  byItself: "Von selbst",
  byItselfWhat: "innerhalb der Regeln und Limits",
  start: "Geplante Posts werden erst veröffentlicht, wenn die Automatik läuft. Starte sie:",
  does: {
    scheduled: "veröffentlicht geplante Posts, wenn sie fällig sind",
    mentions: "liest deine Erwähnungen und entwirft Antworten",
    targets: "liest Posts der Konten, denen du genau folgst",
    discovery: "sucht nach deinen Stichwörtern und bewertet die Funde",
    content: "schreibt Posts",
    threads: "schreibt Threads",
    analytics: "zählt Follower und misst deine Posts",
    retention: "löscht alte Aufzeichnungen",
  },
  idle: {
    composer: "Ohne Wirkung: Im Modus composer schreibst du die Posts.",
    no_model: "Ohne Wirkung: Zum Schreiben fehlt ein Sprachmodell.",
    no_targets: "Ohne Wirkung: Keine Konten sind gesetzt.",
    no_keywords: "Ohne Wirkung: Keine Stichwörter sind gesetzt.",
    no_topics: "Ohne Wirkung: Keine Themen sind gesetzt.",
    sandbox: "Die Testumgebung führt das nicht von selbst aus. `tuitbot run --sandbox` tut es.",
  },
  loops: "Automatik im Einzelnen",
  loopNames: {
    scheduled: "Geplante Posts",
    mentions: "Erwähnungen",
    targets: "Beobachtete Konten",
    discovery: "Entdecken",
    content: "Eigene Posts",
    threads: "Eigene Threads",
    analytics: "Auswertung",
    retention: "Aufräumen",
  },
  last: "Zuletzt",
  next: "Als Nächstes",
  due: "jetzt fällig",
  whenDue: "wenn fällig",
  failures: (value: number) => plural(value, { one: "# Fehler", other: "# Fehler in Folge" }),
  atWork: "arbeitet gerade",
  off: "aus",
  offBy: (by: string, since: string) => `Ausgeschaltet ${since}, von ${by}.`,
  switchLabel: (name: string) => `${name}: ein`,
  switchedOff: (name: string) => `${name} ist aus, bis jemand es wieder einschaltet.`,
  switchedOn: (name: string) => `${name} ist ein.`,
  did: (counts: readonly (readonly [string, number])[]) =>
    counts.length === 0
      ? "nichts zu tun"
      : counts
          .map(([what, value]) => `${count(value)} ${COUNTED[what] ?? what.replaceAll("_", " ")}`)
          .join(", "),
  dryRun: {
    button: "Probelauf jetzt",
    title: "Was die Automatik jetzt täte",
    lead: "Nichts wurde gesendet, vorgelegt oder gemessen.",
    would: "würde jetzt laufen",
    skips: "würde nicht laufen",
    fails: "würde scheitern",
  },
  rehearsal: {
    title: "Probe",
    lead: "Spielt die nächsten Tage durch, mit einer Kopie deiner Daten, einem simulierten X, deinen Regeln und Limits. Nichts wird gesendet oder geändert, und dein Sprachmodell wird nicht benutzt.",
    days,
    span: "Wie lange",
    start: "Proben",
    running: (value: number) =>
      `${days(value)} werden geprobt. Ein Tag dauert etwa eine Sekunde, auf einem ausgelasteten Rechner länger.`,
    stop: "Probe abbrechen",
    outcomes: { goes_out: "veröffentlicht", waits: "wartet auf dich", refused: "verweigert" },
    cost: "simulierte Kosten",
    forecast: "Prognose, wie unter Ausgaben",
    costOf: (usd: number, cap: number | null) =>
      cap === null ? price(usd) : `${price(usd)} von ${price(cap)}`,
    dearest: "teuerster Tag",
    monthEnd: "Monat bis dahin",
    fromTo: (from: string, to: string) => `${from} bis ${to}`,
    day: "Tag",
    goesOut: "Veröffentlicht",
    waits: "Wartet",
    refused: "Verweigert",
    dayCost: "Kosten",
    daySummary: (goesOut: number, waits: number, refused: number) =>
      [
        ...(goesOut > 0 ? [`${count(goesOut)} veröffentlicht`] : []),
        ...(waits > 0 ? [`${count(waits)} wartend`] : []),
        ...(refused > 0 ? [`${count(refused)} verweigert`] : []),
      ].join(", "),
    answers: (author: string) => `an @${author}`,
    nothing: "In diesen Tagen würde nichts veröffentlicht, warten oder verweigert.",
    heldBack: "Zurückgehalten",
    times: (value: number) => plural(value, { one: "einmal", other: "#-mal" }),
    leftOut: "Nicht enthalten",
    assumptions: "Annahmen",
    early: (why: string) => `Sie endet früher: ${why}`,
    more: (value: number) => plural(value, { one: "und # weiterer Post", other: "und # weitere Posts" }),
  },
};

/** By the names of the counts that automations report. */
const COUNTED: Readonly<Record<string, string>> = {
  found: "gefunden",
  sent: "gesendet",
  posted: "veröffentlicht",
  queued: "warten auf Freigabe",
  refused: "abgelehnt",
  failed: "fehlgeschlagen",
  later: "später",
  due: "fällig",
  deleted: "gelöscht",
  followers: "Follower",
  measured: "gemessen",
};
