import { count, plural } from "../../format/numbers.ts";

export const post = {
  by: (author: string) => `Post by ${author}`,
  about: "About your post:",
  unknownAuthor: "author not known",
  noText: "The text could not be read.",
  followers: (value: number) => plural(value, { one: "# follower", other: "# followers" }),
  figures: { replies: "replies", reposts: "reposts", likes: "likes", views: "views" },
  asShown: "as X will show it",
  length: (used: number, most: number) => `${count(used)} of ${count(most)}`,
  lengthLong: (used: number, most: number) =>
    `${plural(used, { one: "# character", other: "# characters" })} of ${count(most)}`,
  hasLink: "with a link",
  hiddenCharacter: "An invisible character",
  showAll: "Show all of it",
  showLess: "Show less",
  part: (index: number, all: number) => `${index} of ${all}`,
};

export const media = {
  files: "Photos and videos",
  add: "Add photo or video",
  sending: (value: number) => plural(value, { one: "Storing # file…", other: "Storing # files…" }),
  altText: "Alt text",
  altTextHint: "What it shows, for people who cannot see it",
  noAltText: "No alt text",
  remove: "Remove this file",
  cannotShow: "No preview:",
};
