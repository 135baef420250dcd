import { count, plural, price } from "../../format/numbers.ts";

export const spend = {
  lead: "What X charges, by its price list, against your caps.",
  span: "Span",
  days: (value: number) => plural(value, { one: "# day", other: "# days" }),
  today: "Today",
  month: "This month",
  forecast: "Forecast this month",
  forecastHow: (posts: number, perDay: string) =>
    `with ${plural(posts, { one: "# scheduled post", other: "# scheduled posts" })}, and ${perDay} a day for the rest`,
  forecastLater: "Available after one full day",
  tooEarly: "Not enough data yet",
  noCap: "no cap is set",
  ofCap: (cap: number, part: string) => `${part} of ${price(cap)}`,
  capOf: (cap: number) => `cap ${price(cap)}`,
  perDay: "Per day",
  utc: (cost: string, calls: number) =>
    `Days are in UTC, like X's bill. All time: ${cost}, ${plural(calls, { one: "# request", other: "# requests" })}.`,
  day: "Day",
  cost: "Cost",
  requestsHead: "Requests",
  perOperation: "By kind of request",
  perCaller: "By agent",
  callerNote:
    "Who spent it: your agents, automations and people. A post that you approve counts for the agent that asked.",
  callerUnknown: "not recorded",
  loop: (name: string) => `Automation: ${name}`,
  itself: "tuitbot itself",
  drafts: "Published drafts",
  person: (name: string) => `${name}, in the dashboard`,
  week: "Next 7 days",
  weekHow: (scheduled: number, cost: string, other: string) =>
    `${plural(scheduled, { one: "# scheduled post", other: "# scheduled posts" })} for ${cost}, and ${other} a day for the rest`,
  weekUnknown: (scheduled: number, cost: string) =>
    `${plural(scheduled, { one: "# scheduled post", other: "# scheduled posts" })} for ${cost}; the rest is known after one full day`,
  weekTitle: "Forecast for the next 7 days",
  weekOther: (days: number) =>
    `Everything else, as in the last ${plural(days, { one: "day", other: "# days" })}`,
  weekWaits: "needs approval",
  weekNothing: "Nothing is scheduled.",
  operationNote: (calls: number, failed: number) =>
    `${plural(calls, { one: "# request", other: "# requests" })}${failed === 0 ? "" : `, ${count(failed)} failed`}`,
  operations: {
    createPosts: "Publishing posts",
    deletePosts: "Deleting posts",
    searchPostsRecent: "Searching posts",
    getPostsByIds: "Reading numbers of posts",
    getPostsById: "Reading a post",
    getUsersMe: "Reading your profile",
    getUsersMentions: "Reading mentions",
    getUsersPosts: "Reading posts of a person",
    getUsersByUsername: "Looking up a person",
    createMediaMetadata: "Adding alt text",
  } as Readonly<Record<string, string>>,
  empty: "No requests in this period",
  emptyWhat: "Every request to X appears here with its price.",
};
