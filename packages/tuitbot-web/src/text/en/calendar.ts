import { count, plural } from "../../format/numbers.ts";

export const calendar = {
  lead: (zone: string) => `Your scheduled posts. Times are in ${zone}.`,
  zone: "Time zone",
  span: "Span",
  week: "Week",
  month: "Month",
  list: "List",
  before: "Earlier",
  after: "Later",
  create: "New post",
  writeAt: (time: string) => `Write a post for ${time}`,
  nothing: "Nothing planned",
  legend: {
    approved: "scheduled",
    waits: "needs approval",
    published: "published",
    slot: "free slot",
    "quiet-hour": "outside active hours",
  },
  states: { approved: "Scheduled", waits: "Needs your approval", published: "Published" },
  best: (hours: readonly string[]) => `your best hours: ${hours.join(", ")}`,
  bestHour: (time: string, posts: number) =>
    `${time} (${plural(posts, { one: "# post", other: "# posts" })})`,
  noBest: "best hours: shown once an hour has five measured posts",
  how: "Click an hour to write a post for it. Drag a post to another time, or press Shift and an arrow key on it.",
  move: "Move",
  remove: "Delete",
  figures: "See how it did",
  asksAgain: "Not approved any more. It needs approval again.",
  approved: "Approved. It will be published at its time.",
  ofSeries: (number: number, of: number) => `${count(number)} of ${count(of)}`,
  recurs: ({
    repeats,
    number,
    of,
  }: {
    readonly repeats: string;
    readonly number: number;
    readonly of: number;
  }) => `Recurring post ${count(number)} of ${count(of)}, ${repeats}. Moving it moves only this one.`,
  moved: (at: string) => `Moved to ${at}.`,
  asks: (value: number) =>
    plural(value, {
      one: "# scheduled post still needs your approval.",
      other: "# scheduled posts still need your approval.",
    }),
  review: "Review",
};
