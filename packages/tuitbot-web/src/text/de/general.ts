import type * as english from "../en/general.ts";

export const general: typeof english.general = {
  tryAgain: "Erneut versuchen",
  close: "Schließen",
  cancel: "Abbrechen",
  save: "Speichern",
  loading: "Wird geladen",
  unknown: "unbekannt",
  notMeasured: "noch nicht gemessen",
  notKnown: "nicht bekannt",
  table: "Tabelle",
  chart: "Diagramm",
  skip: "Zum Inhalt springen",
  more: "Mehr",
  keys: "Tastatur",
  today: "Heute",
  none: "keine",
  nothingToUndo:
    "Hier gibt es nichts rückgängig zu machen. Unter Aktivität steht alles, was sich zurücknehmen lässt.",
  csv: "CSV exportieren",
  rows: "Posts ansehen",
  rowsShort: "Posts",
  days: "Tage ansehen",
  rowsOf: (title: string, label = "Posts ansehen") => `${label}: ${title}`,
};

export const views: typeof english.views = {
  inbox: "Eingang",
  mentions: "Erwähnungen",
  compose: "Schreiben",
  calendar: "Kalender",
  analytics: "Auswertung",
  spend: "Ausgaben",
  activity: "Aktivität",
  autopilot: "Autopilot",
  discovery: "Entdecken",
  policy: "Regeln",
  setup: "Einstellungen",
};

export const problems: typeof english.problems = {
  unreachable: {
    code: "unreachable",
    message: "tuitbot ist nicht erreichbar. Dein Klick hatte wahrscheinlich keine Wirkung.",
    fix: "Prüfe, ob es noch läuft, und versuche es dann erneut.",
  },
  unexpected: {
    code: "unexpected",
    message: "Der Server hat eine Antwort geschickt, die dieses Dashboard nicht versteht.",
    fix: "Lade neu: Der Server ist vielleicht neuer als das Dashboard in diesem Tab.",
  },
};

export const roles: typeof english.roles = {
  lacks: (what: string, needed: string, role: string) =>
    `${what} die Rolle ${needed}. Du bist als ${role} angemeldet.`,
  needs: {
    decide: "Zum Entscheiden brauchst du",
    write: "Zum Speichern, Planen und Veröffentlichen brauchst du",
    move: "Zum Verschieben brauchst du",
    measure: "Zum Messen brauchst du",
    undo: "Zum Zurücknehmen brauchst du",
    settle: "Zum Klären brauchst du",
    switch: "Zum Ein- und Ausschalten brauchst du",
    rehearse: "Für eine Probe brauchst du",
    reply: "Zum Suchen und Antworten brauchst du",
    passkeys: "Für eigene Passkeys brauchst du",
    setup: "Für die geführte Einrichtung brauchst du",
    stop: "Zum Anhalten brauchst du",
    resume: "Zum Fortsetzen brauchst du",
    rule: "Zum Annehmen einer Regel brauchst du",
  },
};
