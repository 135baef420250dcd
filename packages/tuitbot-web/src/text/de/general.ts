import { plural, price } from "../../format/numbers.ts";
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

const LIMITS: Readonly<Record<string, { readonly one: string; readonly other: string }>> = {
  tweets_per_day: { one: "# Post am Tag", other: "# Posts am Tag" },
  threads_per_week: { one: "# Thread in der Woche", other: "# Threads in der Woche" },
  replies_per_day: { one: "# Antwort am Tag", other: "# Antworten am Tag" },
  mcp_mutation: { one: "# Änderung in der Stunde", other: "# Änderungen in der Stunde" },
};

const CAPS: Readonly<Record<string, string>> = { call: "je Aufruf", day: "am Tag", month: "im Monat" };

export const refusals: typeof english.refusals = {
  policy_limit: ({ limit, max, needed = 1, used }) => {
    const allowed = plural(
      Number(max),
      LIMITS[String(limit)] ?? { one: `# (${limit})`, other: `# (${limit})` },
    );
    if (needed === 1) return `Dein Limit von ${allowed} ist ausgeschöpft.`;
    return Number(needed) > Number(max) || used === undefined
      ? `Dieser Thread hat ${needed} Posts; dein Limit ist ${allowed}.`
      : `Dieser Thread hat ${needed} Posts; von deinem Limit (${allowed}) sind noch ${Number(max) - Number(used)} übrig.`;
  },
  budget: ({ cap, cap_usd, needed_usd }) =>
    `Das kostet ${price(Number(needed_usd))} und passt nicht unter dein Ausgabenlimit von ${price(Number(cap_usd))} ${CAPS[String(cap)] ?? ""}. Nichts wurde gesendet.`,
  url_price: ({ price_usd, price_without_links_usd }) =>
    `Mit einem Link kostet das ${price(Number(price_usd))} statt ${price(Number(price_without_links_usd))}. Nichts wurde gesendet.`,
  duplicate_post: () => "X lehnt dieselben Worte innerhalb eines Tages ein zweites Mal ab.",
  stopped_by_person: () => "Alles ist angehalten. Setze es fort, um zu senden.",
};

export const failures: typeof english.failures = {
  x_rate_limited: "X nimmt gerade keine weiteren Anfragen an.",
  x_auth_expired: "Die Anmeldung bei X gilt nicht mehr.",
  x_forbidden: "X erlaubt das diesem Konto nicht.",
  x_account_restricted: "X hat das Konto gesperrt.",
  x_network_error: "X ist nicht erreichbar.",
  x_not_configured: "Niemand ist bei X angemeldet.",
  x_api_error: "Bei X ist ein Fehler aufgetreten.",
  db_error: "Die Datenbank ist nicht benutzbar.",
  validation_error: "So ist das nicht möglich.",
  invalid_input: "Eine Angabe fehlt oder ist falsch.",
  tweet_too_long: "Ein Post ist zu lang.",
  llm_error: "Das Sprachmodell hat nicht geantwortet.",
  not_found: "Das gibt es nicht mehr.",
  policy_denied_user_rule: "Deine Regeln erlauben das nicht.",
  policy_denied_hard_rule: "Eine feste Regel erlaubt das nicht.",
  policy_denied_blocked: "Deine Regeln erlauben das nicht.",
};

export const roles: typeof english.roles = {
  names: { viewer: "Zuschauer", approver: "Freigeber", owner: "Inhaber" },
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
