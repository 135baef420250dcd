import { count, plural, price } from "../../format/numbers.ts";
import type * as english from "../en/policy.ts";

export const policy: typeof english.policy = {
  learned: {
    title: "Gelernte Regeln",
    what: "Regeln, die du angenommen hast, nachdem du immer wieder gleich entschieden hast. Eine Änderung oder Ablehnung setzt eine Regel aus.",
    none: "Noch nichts vorzuschlagen. Nach fünf gleichen Entscheidungen an zwei Tagen steht hier ein Vorschlag.",
    proposed: "Vorgeschlagen",
    allowed: (decisions, calls) =>
      `Du hast alle ${count(decisions)} ${calls} freigegeben und keine geändert.`,
    denied: (decisions, calls) => `Du hast alle ${count(decisions)} ${calls} abgelehnt.`,
    allowThese: (perDay) => `Diese von selbst erlauben, bis zu ${count(perDay)} am Tag?`,
    denyThese: "Diese von selbst ablehnen?",
    wouldAllow: (days, calls, usd) =>
      `In den letzten ${days} Tagen hätte das ${count(calls)} für ${price(usd)} durchgelassen;`,
    wouldDeny: (days, calls) => `In den letzten ${days} Tagen hätte das ${count(calls)} abgelehnt;`,
    otherwise: (calls) => `${count(calls)} davon hast du anders entschieden oder geändert.`,
    allow: (calls, perDay) => `Erlaubt ${calls}, bis zu ${count(perDay)} am Tag.`,
    deny: (calls) => `Lehnt ${calls} ab.`,
    calls: {
      x_post_tweet: "Posts",
      x_reply_to_tweet: "Antworten",
      x_post_thread: "Threads",
      x_quote_tweet: "Zitate",
    },
    manners: { "thank-you": "Dank-" },
    targets: {
      mention: "an Leute, die dich erwähnt haben",
      own_post: "auf eigene Posts",
      stranger: "über andere Leute",
    },
    states: {
      active: "aktiv",
      rehearsed: "wird geprobt",
      expired: "abgelaufen",
      suspended: "ausgesetzt",
      replaced: "ersetzt",
      off: "aus",
    },
    accept: "Annehmen",
    rehearse: "3 Tage proben",
    accepted: (rule) => `Regel ${rule} ist an.`,
    off: "Ausschalten",
    isOff: (rule) => `Regel ${rule} ist aus. Du wirst wieder gefragt.`,
    activity: "Was sie entschieden hat",
    bounds: (from, to, max) =>
      `Texte von ${count(from)} bis ${count(to)} Zeichen, je höchstens ${price(max)}. Keine Links, keine Dateien, niemand sonst erwähnt.`,
    evidence: (decisions) =>
      plural(decisions, {
        one: "# Entscheidung, auf der sie beruht",
        other: "# Entscheidungen, auf denen sie beruht",
      }),
    rehearsed: (calls) =>
      plural(calls, {
        one: "# Aufruf, den sie entschieden hätte",
        other: "# Aufrufe, die sie entschieden hätte",
      }),
    against: (calls) => plural(calls, { one: "# anders entschieden", other: "# anders entschieden" }),
    use: (today, perDay, spent, budget) =>
      `${count(today)} von ${count(perDay)} heute, ${price(spent)} von ${price(budget)}`,
    origin: (at, by) => `angenommen ${at} von ${by}`,
    expires: (at) => `läuft ab ${at}`,
    review: "Zeit, sie wieder anzusehen.",
    soFar: (calls, until) => `Hätte bisher ${count(calls)} entschieden. Beginnt ${until}.`,
    item: (id) => `Eintrag ${id}`,
  },
  caps: {
    title: "Konto und Limits",
    account: "Konto",
    plan: "Tarif bei X",
    plans: { self_serve: "nach Verbrauch", enterprise: "Unternehmen" },
    premium: ", mit Premium",
    max_usd_per_call: "Eine Anfrage",
    max_usd_per_day: "Ein Tag",
    max_usd_per_month: "Ein Monat",
    none: "kein Limit",
  },
  lead: "Die Regeln, die jeder Post bestehen muss, der Reihe nach.",
  tester: "Was würde passieren?",
  testerWhat:
    "Schreib einen Post und sieh, was deine Regeln und Limits damit tun würden. Gesendet wird nichts.",
  testerText: "Ein Post zum Ausprobieren",
  testerKind: "Aktion",
  testerId: "Link oder ID des Posts, oder ID der Person",
  limitsTitle: "Limits",
  limits: {
    mcp_mutation: "Änderungen in einer Stunde",
    replies_per_day: "Antworten heute",
    tweets_per_day: "Posts heute",
    threads_per_week: "Threads diese Woche",
  },
  used: (used: string, max: string) => `${used} von ${max}`,
  rules: "Geltende Regeln",
  order: "Die erste passende Regel entscheidet. Alles andere ist innerhalb der Limits erlaubt.",
  dryRun: "nichts wird gesendet, alles wird nur geprüft",
  actions: {
    require_approval: "braucht Freigabe",
    deny: "verweigern",
    allow: "erlauben",
    dry_run: "nur prüfen",
  },
  categories: { delete: "Löschen", ads: "Werbung" },
  /** By the id of the rule; other rules show their own reason. */
  reasons: {
    "hard:delete_approval": "Gelöschte Posts lassen sich nicht wiederherstellen.",
    "hard:x_one_reply": "X erlaubt einem automatisierten Konto eine Antwort je Post.",
    "hard:ads_approval": "Werbung kostet Geld.",
    "hard:unlisted_approval": "Eine Anfrage, die X nicht aufführt, kann alles bewirken.",
    "hard:composer_approval": "Im Modus composer gibst du alles frei.",
    "hard:injection": "Du entscheidest über Texte, die Anweisungen aus fremden Posts folgen könnten.",
    "hard:x_user_initiated": "X erlaubt Likes und Folgen nur, wenn ein Mensch darum bittet.",
    "hard:x_ai_reply": "X erlaubt KI-Antworten nur mit Zustimmung von X.",
    "hard:x_unsolicited_mention": "X erlaubt keine automatischen Posts, die Personen ungefragt erwähnen.",
    "hard:x_direct_message":
      "X erlaubt keine automatischen Nachrichten an Personen, die nicht darum gebeten haben.",
    approval_mode: "Im Freigabemodus gibst du alles frei, was andere sehen.",
    "v1:approval": "Deine Einstellungen verlangen eine Freigabe.",
  },
};
