import type * as english from "../en/discovery.ts";

export const discovery: typeof english.discovery = {
  lead: "Posts, auf die sich eine Antwort lohnt, die besten zuerst.",
  least: (value: number) => `Punkte ab ${value}`,
  search: "Jetzt suchen",
  empty: "Noch nichts gefunden",
  emptyWhat:
    "Posts zu deinen Stichwörtern erscheinen hier mit 0 bis 100 Punkten. Eine Suche auf X kostet Geld.",
  score: "von 100",
  why: "Warum?",
  parts: {
    keyword_relevance: "Stichwörter",
    recency: "Alter",
    engagement: "Reaktionen",
    reply_count: "wenige Antworten",
    follower: "Follower",
    content_type: "Art",
  },
  matches: (keyword: string) => `passt zu „${keyword}“`,
  reply: "Antworten",
  dismiss: "Ausblenden",
  dismissed: "Ausgeblendet.",
  back: "Wieder in der Liste.",
  cannotReply: "X lässt dieses Konto nur dort antworten, wo es erwähnt wurde.",
  sending: "Die Antwort geht in 10 Sekunden hinaus.",
  takenBack: "Nicht gesendet. Dein Text bleibt erhalten.",
  yourReply: "Deine Antwort",
  send: "Antwort senden",
};
