import { count, plural } from "../../format/numbers.ts";
import type * as english from "../en/analytics.ts";

export const analytics: typeof english.analytics = {
  lead: "Wie deine Posts ankommen.",
  span: "Zeitraum",
  measure: "Jetzt messen",
  measured: (value: number) => plural(value, { one: "# Post gemessen.", other: "# Posts gemessen." }),
  elsewhere: (value: number) =>
    plural(value, {
      one: "# entstand außerhalb von tuitbot.",
      other: "# entstanden außerhalb von tuitbot.",
    }),
  followers: "Follower",
  followersPerDay: "Follower",
  oneDay: "Das Diagramm beginnt am zweiten Tag.",
  views: "Aufrufe",
  postScore: "Wert der Posts",
  replyScore: "Wert der Antworten",
  change: (week: string, month: string) => `7 Tage ${week} · 30 Tage ${month}`,
  measuredPosts: (value: number) =>
    plural(value, { one: "aus # gemessenen Post", other: "aus # gemessenen Posts" }),
  posts: (value: number) => plural(value, { one: "# Post", other: "# Posts" }),
  replies: (value: number) => plural(value, { one: "# Antwort", other: "# Antworten" }),
  topics: "Themen",
  noneMeasured: "Noch keine Posts gemessen. Posts werden einen Tag nach der Veröffentlichung gemessen.",
  noTopics: "Themen werden verglichen, sobald Posts dazu gemessen sind. Ein Entwurf kann sein Thema nennen.",
  kinds: "Arten",
  kind: "Art",
  kindNames: { tweet: "Post", reply: "Antwort", quote: "Zitat", thread: "Thread" },
  out: "Veröffentlicht",
  measuredHead: "Gemessen",
  score: "Wert",
  nothingOut: "Noch ist nichts veröffentlicht.",
  bestTimes: "Zeiten der Posts",
  bestTimesNote:
    "Durchschnittlicher Wert nach der Stunde des Posts. Jede Zelle zeigt ihre Zahl von Posts; Farbe hat sie ab fünf Posts.",
  heatmap: "Mittlerer Wert nach Wochentag und Stunde",
  hour: "Stunde",
  postsHead: "Posts",
  cell: (when: string, value: string, posts: number) =>
    `${when}: ${value}, aus ${plural(posts, { one: "# Post", other: "# Posts" })}`,
  cellUnknown: (when: string) => `${when}: keine gemessenen Posts`,
  noTimes: "Noch keine gemessenen Posts",
  noTimesWhat:
    "Posts werden einen Tag nach der Veröffentlichung gemessen. Dann siehst du hier, welche Stunden gut laufen.",
  viewsPerDay: "Aufrufe pro Tag",
  engagementPerDay: "Reaktionen pro Tag",
  perDayNote: "Likes, Reposts, Antworten und Lesezeichen.",
  viewsNote: "Nach dem Tag der Veröffentlichung.",
  engagement: "Reaktionen",
  best: "Posts nach Wert",
  noBest: "Posts werden verglichen, sobald fünf gemessen sind, einen Tag nach der Veröffentlichung.",
  rows: {
    lead: "Wert: je 1.000 Aufrufe 3 für ein Like, 4 für einen Repost, 5 für eine Antwort.",
    older: (value: number) =>
      plural(value, {
        one: "Ein weiterer Post zählt mit, der hier fehlt: Er ist älter als der gezeigte Zeitraum.",
        other: "# weitere Posts zählen mit, die hier fehlen: Sie sind älter als der gezeigte Zeitraum.",
      }),
    none: "Noch keine Posts",
    post: "Post",
    out: "Wann",
    likes: "Likes",
    reposts: "Reposts",
    replies: "Antworten",
    marks: "Lesezeichen",
    followers: "Follower, wie gezählt",
    topic: (name: string) => `Posts über ${name}`,
  },
  cards: {
    impressions: "Aufrufe, letzte 7 Tage",
    engagement: "Reaktionen, letzte 7 Tage",
    posts: "Posts, letzte 7 Tage",
    andReplies: (value: number) => plural(value, { one: "und # Antwort", other: "und # Antworten" }),
    changeLater: "die Veränderung erscheint nach einer Woche",
    sinceWeek: "in 7 Tagen",
    month: (value: string) => `in 7 Tagen · ${value} in 30 Tagen`,
  },
  post: {
    title: "Post",
    back: "Alle Posts",
    unknown: "Dieser Post ist nicht in den Zahlen",
    unknownWhat:
      "Er wurde gelöscht, ist älter als ein Jahr oder entstand außerhalb von tuitbot und ist noch nicht gelesen: „Jetzt messen“ liest deine neuesten Posts.",
    elsewhere: "Außerhalb von tuitbot entstanden.",
    thread: (posts: number) =>
      `Ein Thread aus ${count(posts)} Posts, der als einer zählt. Die Aufrufe sind die des ersten.`,
    notMeasured: "Seine Zahlen werden einen Tag nach der Veröffentlichung gelesen.",
    figures: {
      impressions: "Aufrufe",
      likes: "Likes",
      reposts: "Reposts",
      replies: "Antworten",
      bookmarks: "Lesezeichen",
      score: "Wert",
    },
    against: (change: string) => `${change} gegenüber deinem Durchschnitt`,
    compared: (posts: number, kind: string) => `Verglichen mit ${count(posts)} anderen der Art ${kind}.`,
    tooFew: "Es gibt zu wenige gemessene Posts dieser Art für einen Vergleich.",
    onX: "Auf X öffnen",
  },
  week: {
    title: "In Worten",
    out: (posts: number, replies: number, postsBefore: number, repliesBefore: number) =>
      `Du hast in den letzten 7 Tagen ${published(posts, replies)} veröffentlicht, nach ${published(postsBefore, repliesBefore)} in den 7 Tagen davor.`,
    nothing: "Keine Posts in den letzten zwei Wochen.",
    seen: (measured: number, views: string, reactions: string) =>
      `${plural(measured, { one: "# davon ist gemessen", other: "# davon sind gemessen" })}: ${views} Aufrufe und ${reactions} Reaktionen.`,
    best: (text: string, value: string) => `Den höchsten Wert, ${value}, hatte „${text}“`,
    followers: (current: string, week: string) => `Du hast ${current} Follower, ${week} in einer Woche.`,
    followersUnknown: (current: string) =>
      `Du hast ${current} Follower; die Veränderung erscheint nach einer Woche.`,
    noFollowers: "Follower sind noch nicht gezählt.",
  },
};

function published(posts: number, replies: number): string {
  return `${plural(posts, { one: "# Post", other: "# Posts" })} und ${plural(replies, { one: "# Antwort", other: "# Antworten" })}`;
}
