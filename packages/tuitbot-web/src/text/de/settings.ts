import type * as english from "../en/settings.ts";

export const settings: typeof english.settings = {
  groups: {
    schedule: "Zeitplan",
    approval: "Freigabe",
    spending: "Ausgaben",
    limits: "Limits",
    topics: "Themen",
    model: "Sprachmodell",
    notifications: "Benachrichtigungen",
  },
  names: {
    "schedule.timezone": "Zeitzone",
    "schedule.posting_slots": "Zeitfenster für Posts",
    "schedule.active_hours_start": "Aktiv ab (Stunde)",
    "schedule.active_hours_end": "Aktiv bis (Stunde)",
    "schedule.active_days": "Aktive Tage",
    "budget.max_usd_per_day": "Limit pro Tag, in Dollar",
    "budget.max_usd_per_month": "Limit pro Monat, in Dollar",
    "limits.max_tweets_per_day": "Posts pro Tag",
    "limits.max_replies_per_day": "Antworten pro Tag",
    "limits.max_threads_per_week": "Threads pro Woche",
    "limits.banned_phrases": "Wörter, die in Antworten nicht vorkommen dürfen",
    "business.product_keywords": "Stichwörter",
    "business.industry_topics": "Themen",
    "business.brand_voice": "Ton",
    "targets.accounts": "Konten, denen du genau folgst",
    mode: "Modus",
    approval_mode: "Mich fragen, bevor etwas gesendet wird",
    "llm.provider": "Anbieter",
    "llm.model": "Modell",
    "notify.digest_times": "Zeiten der Zusammenfassungen",
  },
  help: {
    "schedule.timezone": "Sie gilt für Zeitfenster, aktive Stunden und den Kalender.",
    "schedule.posting_slots": "Eines pro Zeile, etwa 09:30 für jeden Tag oder Mon 09:30.",
    "schedule.active_days": "Einer pro Zeile: Mon, Tue, Wed, Thu, Fri, Sat, Sun.",
    "schedule.active_hours_start": "Ab dieser Stunde arbeitet die Automatik.",
    "schedule.active_hours_end": "Zu dieser Stunde hört die Automatik auf.",
    mode: "composer: Du schreibst, und alles wird freigegeben. autopilot: Die Automatik darf schreiben.",
    approval_mode: "Im Modus composer immer an.",
    "business.product_keywords": "Eines pro Zeile. Entdecken sucht danach, und X berechnet jede Suche.",
    "business.industry_topics": "Eines pro Zeile. Die Automatik schreibt darüber.",
    "targets.accounts": "Ein Benutzername pro Zeile.",
    "limits.banned_phrases": "Eines pro Zeile.",
    "notify.digest_times":
      "Eine pro Zeile, etwa 09:00. Wer wie benachrichtigt wird, steht in der Datei unter notify.people.",
  },
  save: "Einstellungen speichern",
  saved: "Gespeichert. Starte tuitbot neu, damit die Einstellungen gelten.",
  restart:
    "Einige gespeicherte Einstellungen gelten erst nach einem Neustart: Beende tuitbot mit Strg-C und starte es wieder.",
  fixed: "Durch die Umgebung festgelegt. Hier lässt es sich nicht ändern.",
  file: "Geschrieben in",
  newFile: "Beim Speichern entsteht die Konfigurationsdatei.",
};

export const guide: typeof english.guide = {
  title: "Geführte Einrichtung",
  what: "App bei X, Anmeldung, Ausgabenlimits, Ton, Sprachmodell und MCP-Client. Bestehende Einstellungen bleiben; gepostet wird nichts.",
  begin: "Beginnen",
  again: "Noch einmal",
  stop: "Abbrechen",
  next: "Weiter",
  yes: "Ja",
  no: "Nein",
  open: "Diesen Link öffnen",
  working: "In Arbeit…",
  ends: {
    done: "Fertig. Starte tuitbot neu, damit die Einstellungen gelten: Beende es mit Strg-C und starte es wieder.",
    stopped: "Abgebrochen. Deine bisherigen Antworten sind gespeichert. Du kannst jederzeit neu beginnen.",
    failed:
      "Vorzeitig beendet. Deine bisherigen Antworten sind gespeichert. Du kannst jederzeit neu beginnen.",
  },
};

export const passkeys: typeof english.passkeys = {
  title: "Passkeys",
  what: "Sobald es einen gibt, zählt eine Freigabe nur mit seiner Unterschrift: dein Finger, Gesicht oder deine PIN auf deinem Gerät. Weder ein Agent in diesem Browser noch das Terminal kann ohne ihn freigeben.",
  none: "Noch kein Passkey. Alle Angemeldeten können freigeben.",
  add: "Passkey einrichten",
  remove: "Entfernen",
  of: (person: string, site: string) => `${person}, auf ${site}`,
  since: (at: string) => `seit ${at}`,
  notUsed: {
    code: "passkey",
    message: "Der Passkey wurde nicht benutzt.",
    fix: "Versuche es erneut und bestätige auf deinem Gerät.",
  },
};

export const sessions: typeof english.sessions = {
  title: "Angemeldete Browser",
  all: "Alle, die für dieses Konto angemeldet sind. Um jemanden dauerhaft auszuschließen, führe tuitbot people remove NAME aus.",
  own: "Deine angemeldeten Browser.",
  here: "dieser Browser",
  end: "Abmelden",
  endOf: (person: string) => `Diesen Browser von ${person} abmelden`,
  of: (person: string, role: string) => `${person}, ${role}`,
  by: {
    printed_link: "Link aus dem Terminal",
    sent_link: "Link aus einer Nachricht",
    passphrase: "Mit Passphrase",
  },
  since: (by: string, at: string, until: string) => `${by}, ${at}. Läuft ab ${until}.`,
};

export const setup: typeof english.setup = {
  lead: "Was eingerichtet ist, was fehlt und was du ändern kannst.",
  done: "Erledigt:",
  missing: "Fehlt:",
  steps: {
    account: "Konto",
    caps: "Ausgabenlimits",
    voice: "Themen",
    model: "Sprachmodell",
    runner: "Automatik",
  },
  nobody: "Niemand ist bei X angemeldet.",
  signedIn: (name: string) => `@${name} ist bei X angemeldet.`,
  inSandbox: (name: string) => `@${name}, auf einem simulierten X. Nichts hier ist echt.`,
  noCap: "Kein Limit ist gesetzt: Die Ausgaben sind unbegrenzt.",
  cap: (cap: string) => `Höchstens ${cap} am Tag.`,
  noVoice: "Keine Stichwörter sind gesetzt, darum findet Entdecken nichts.",
  noModel: "Keines ist gesetzt. Du kannst auch ohne schreiben.",
  runnerAlive: "Läuft. Geplante Posts werden veröffentlicht, wenn sie fällig sind.",
  noRunner: "Läuft nicht. Geplante Posts werden nicht veröffentlicht.",
  settings: "Für Fortgeschrittene: alle geltenden Einstellungen",
  file: "Aus",
  noFile: "Keine Konfigurationsdatei; das sind die Vorgaben.",
};
