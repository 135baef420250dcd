import { count, plural } from "../../format/numbers.ts";
import type * as english from "../en/post.ts";

export const post: typeof english.post = {
  by: (author: string) => `Post von ${author}`,
  about: "Zu deinem Post:",
  unknownAuthor: "Urheber unbekannt",
  noText: "Der Text ließ sich nicht lesen.",
  followers: (value: number) => plural(value, { one: "# Follower", other: "# Follower" }),
  figures: { replies: "Antworten", reposts: "Reposts", likes: "Likes", views: "Aufrufe" },
  asShown: "so zeigt es X",
  length: (used: number, most: number) => `${count(used)} von ${count(most)}`,
  lengthLong: (used: number, most: number) => `${count(used)} von ${count(most)} Zeichen`,
  hasLink: "mit Link",
  hiddenCharacter: "Ein unsichtbares Zeichen",
  showAll: "Alles zeigen",
  showLess: "Weniger zeigen",
  part: (index: number, all: number) => `${index} von ${all}`,
};

export const media: typeof english.media = {
  files: "Fotos und Videos",
  add: "Foto oder Video hinzufügen",
  sending: (value: number) =>
    plural(value, { one: "# Datei wird gespeichert…", other: "# Dateien werden gespeichert…" }),
  altText: "Bildbeschreibung",
  altTextHint: "Beschreibt das Bild für Menschen, die es nicht sehen können",
  noAltText: "Keine Bildbeschreibung",
  remove: "Diese Datei entfernen",
  cannotShow: "Keine Vorschau:",
};
