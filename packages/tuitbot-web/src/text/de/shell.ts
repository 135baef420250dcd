import { plural, price } from "../../format/numbers.ts";
import type * as english from "../en/shell.ts";

export const shell: typeof english.shell = {
  main: "Ansichten",
  status: "Stand",
  sandbox: "Testumgebung",
  sandboxTitle: "Ein simuliertes X. Nichts hier ist echt, und nichts kostet Geld.",
  spentOf: (spent: number, cap: number) => [price(spent), `von ${price(cap)} heute`],
  spentNoCap: (spent: number) => [price(spent), "heute, kein Limit"],
  xAnswers: "Mit X verbunden",
  xUnknown: "X noch nicht kontaktiert",
  xFailed: (ago: string) => `Letzte Anfrage an X gescheitert, ${ago}`,
  loopAlive: "Automatik läuft",
  loopLast: (ago: string) => `geprüft ${ago}`,
  loopNone: "Automatik läuft nicht",
  stopped: "Angehalten",
  lost: "tuitbot ist nicht erreichbar. Diese Ansicht ist vielleicht veraltet. Neuer Versuch…",
  theme: { light: "Helles Design verwenden", dark: "Dunkles Design verwenden" },
  accounts: { title: "Konto wechseln" },
  signOut: "Abmelden",
  signedInAs: (person: string, role: string) => `Angemeldet als ${person}, ${role}`,
};

export const stop: typeof english.stop = {
  button: "Agenten anhalten",
  short: "Anhalten",
  title: "Alles anhalten?",
  what: "Für dieses Konto wird nichts mehr an X gesendet, bis du fortsetzt. Agenten erfahren, dass du sie angehalten hast. Der Eingang bleibt, wie er ist.",
  reason: "Warum (freiwillig; Agenten und andere lesen es)",
  yes: "Alles anhalten",
  banner: (by: string, since: string) => `Angehalten von ${by}, ${since}. Nichts wird an X gesendet.`,
  resume: "Fortsetzen",
  resumeTitle: "Fortsetzen?",
  resumeWhat:
    "Agenten und Automatik dürfen wieder senden, mit denselben Regeln, Limits und Freigaben wie zuvor.",
  resumed: "Fortgesetzt. Agenten und Automatik arbeiten wieder.",
  done: "Alles ist angehalten.",
};

export const palette: typeof english.palette = {
  open: "Suchen",
  title: (account: string) => `Suchen in ${account}`,
  label: "Ansichten, Aktionen, Entwürfe, Posts",
  view: "Ansicht",
  action: "Aktion",
  draft: "Entwurf",
  account: "Konto",
  newPost: "Neuer Post",
  theme: "Zwischen hell und dunkel wechseln",
  notify: "Benachrichtigungen im Browser einschalten",
  notifyOn: "Dieser Browser benachrichtigt dich, während du etwas anderes ansiehst.",
  notifyOff: "Der Browser lässt für diese Adresse keine Benachrichtigungen zu.",
  waiting: (value: number) =>
    plural(value, {
      one: "# Eintrag wartet auf deine Freigabe",
      other: "# Einträge warten auf deine Freigabe",
    }),
  nothing: "Nichts gefunden.",
};

export const signIn: typeof english.signIn = {
  title: "Bei tuitbot anmelden",
  what: "Das Dashboard veröffentlicht in deinem Namen. Darum öffnet es sich nur in Browsern, die du anmeldest.",
  link: "Öffne den Link, den der Server beim Start ausgegeben hat. Er gilt einmal. Für einen neuen Link führe dies aus und kehre dann in diesen Tab zurück:",
  command: "npx tuitbot web",
  name: "Name",
  passphrase: "Passphrase",
  submit: "Anmelden",
  waiting: "Verbinden…",
};

export const keys: typeof english.keys = {
  title: "Tastatur",
  list: [
    ["j  k", "Nächster, vorheriger"],
    ["a", "Freigeben und senden"],
    ["s", "Im nächsten freien Zeitfenster senden"],
    ["e", "Bearbeiten"],
    ["r", "Ablehnen"],
    ["x", "Auswählen"],
    ["u", "Letzten Schritt rückgängig machen"],
    ["/  Ctrl K", "Suchen"],
    ["t", "Die Tabelle hinter einem Diagramm zeigen"],
    ["w  m  ←  →", "Kalender: Woche, Monat, früher, später"],
    ["Shift + ←↑→↓", "Kalender: den Post im Fokus um eine Stunde oder einen Tag verschieben"],
    ["?", "Diese Liste"],
  ],
  toView: (keys: string) => `g, dann ${keys}`,
};
