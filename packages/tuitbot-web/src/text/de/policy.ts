import type * as english from "../en/policy.ts";

export const policy: typeof english.policy = {
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
};
