import { count, plural } from "../../format/numbers.ts";

export const analytics = {
  lead: "How your posts are doing.",
  span: "Span",
  measure: "Measure now",
  measured: (value: number) => plural(value, { one: "# post measured.", other: "# posts measured." }),
  elsewhere: (value: number) =>
    plural(value, { one: "# was made outside tuitbot.", other: "# were made outside tuitbot." }),
  followers: "Followers",
  followersPerDay: "Followers",
  oneDay: "The chart starts on the second day.",
  views: "Views",
  postScore: "Score of posts",
  replyScore: "Score of replies",
  change: (week: string, month: string) => `7 days ${week} · 30 days ${month}`,
  measuredPosts: (value: number) =>
    plural(value, { one: "on # measured post", other: "on # measured posts" }),
  posts: (value: number) => plural(value, { one: "# post", other: "# posts" }),
  replies: (value: number) => plural(value, { one: "# reply", other: "# replies" }),
  topics: "Topics",
  noneMeasured: "No posts are measured yet. Posts are measured one day after they are published.",
  noTopics: "Topics are ranked once posts of them are measured. A draft can name its topic.",
  kinds: "Kinds",
  kind: "Kind",
  kindNames: { tweet: "Post", reply: "Reply", quote: "Quote", thread: "Thread" } as Readonly<
    Record<string, string>
  >,
  out: "Published",
  measuredHead: "Measured",
  score: "Score",
  nothingOut: "Nothing is published yet.",
  bestTimes: "Times of posting",
  bestTimesNote:
    "Average score by the hour of posting. Each cell shows its number of posts; it is colored from five posts on.",
  heatmap: "Mean score by weekday and hour",
  hour: "Hour",
  postsHead: "Posts",
  cell: (when: string, value: string, posts: number) =>
    `${when}: ${value}, on ${plural(posts, { one: "# post", other: "# posts" })}`,
  cellUnknown: (when: string) => `${when}: no measured posts`,
  noTimes: "No measured posts yet",
  noTimesWhat: "Posts are measured one day after they are published. Then you see here which hours do well.",
  viewsPerDay: "Views per day",
  engagementPerDay: "Reactions per day",
  perDayNote: "Likes, reposts, replies and bookmarks.",
  viewsNote: "By the day of publication.",
  engagement: "Reactions",
  best: "Posts by score",
  noBest: "Posts are ranked once five of them are measured, one day after they are published.",
  rows: {
    lead: "Score: per 1,000 views, 3 for a like, 4 for a repost, 5 for a reply.",
    older: (value: number) =>
      plural(value, {
        one: "One more post counts that is not listed: it is older than the span that is shown.",
        other: "# more posts count that are not listed: they are older than the span that is shown.",
      }),
    none: "No posts yet",
    post: "Post",
    out: "Out",
    likes: "Likes",
    reposts: "Reposts",
    replies: "Replies",
    marks: "Bookmarks",
    followers: "Followers, as counted",
    topic: (name: string) => `Posts about ${name}`,
  },
  cards: {
    impressions: "Views, last 7 days",
    engagement: "Reactions, last 7 days",
    posts: "Posts, last 7 days",
    andReplies: (value: number) => plural(value, { one: "and # reply", other: "and # replies" }),
    changeLater: "the change appears after a week",
    sinceWeek: "in 7 days",
    month: (value: string) => `in 7 days · ${value} in 30 days`,
  },
  post: {
    title: "Post",
    back: "All posts",
    unknown: "This post is not in the numbers",
    unknownWhat:
      "It was deleted, is older than a year, or was made outside tuitbot and not read yet: Measure now reads your newest posts.",
    elsewhere: "Made outside tuitbot.",
    thread: (posts: number) =>
      `A thread of ${count(posts)} posts, counted as one. Views are those of the first.`,
    notMeasured: "Its numbers are read one day after it was published.",
    figures: {
      impressions: "Views",
      likes: "Likes",
      reposts: "Reposts",
      replies: "Replies",
      bookmarks: "Bookmarks",
      score: "Score",
    },
    against: (change: string) => `${change} against your average`,
    compared: (posts: number, kind: string) => `Compared with ${count(posts)} others of the kind ${kind}.`,
    tooFew: "There are too few measured posts of this kind to compare with.",
    onX: "Open on X",
  },
  week: {
    title: "In words",
    out: (posts: number, replies: number, postsBefore: number, repliesBefore: number) =>
      `You published ${published(posts, replies)} in the last 7 days, after ${published(postsBefore, repliesBefore)} in the 7 days before.`,
    nothing: "No posts in the last two weeks.",
    seen: (measured: number, views: string, reactions: string) =>
      `${plural(measured, { one: "# of them is measured", other: "# of them are measured" })}: ${views} views and ${reactions} reactions.`,
    best: (text: string, value: string) => `The highest score was ${value}, for “${text}”`,
    followers: (current: string, week: string) => `You have ${current} followers, ${week} in a week.`,
    followersUnknown: (current: string) =>
      `You have ${current} followers; we'll show the change after a week.`,
    noFollowers: "Followers are not counted yet.",
  },
};

function published(posts: number, replies: number): string {
  const of = (value: number, one: string, other: string) => plural(value, { one, other });
  return `${of(posts, "# post", "# posts")} and ${of(replies, "# reply", "# replies")}`;
}
