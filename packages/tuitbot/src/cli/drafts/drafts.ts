import { command } from "../machine.ts";

const priceOption = {
  "accept-url-price": { kind: "flag", describe: "Accept the higher price of a post with a link" },
} as const;

const slotOption = {
  "next-slot": { kind: "flag", describe: "At the next free slot of schedule.posting_slots" },
} as const;

const args = { draft: { describe: "The number of the draft, such as 3", required: true } } as const;

/** Loads the commands when one of them runs, to keep the start of others fast. */
const load = () => import("./draft-commands.ts");

const list = command({
  name: "list",
  describe: "List the drafts that are not yet published or discarded",
  options: {
    status: {
      kind: "value",
      placeholder: "STATUS",
      describe: "Only drafts with this status",
      choices: ["draft", "scheduled", "publishing", "queued", "published", "discarded"],
    },
    "expand-series": { kind: "flag", describe: "All recurring posts, not only the next" },
  },
  examples: [
    { line: "tuitbot drafts list --status scheduled", does: "drafts that will be published on schedule" },
  ],
  run: async ({ status, "expand-series": isExpanded }, context) =>
    (await load()).list({ status, isExpanded }, context),
});

const show = command({
  name: "show",
  describe: "Show a draft with its texts and its revisions",
  args,
  examples: [{ line: "tuitbot drafts show 3", does: "shows draft 3" }],
  run: async ({ draft }, context) => (await load()).show(draft, context),
});

const create = command({
  name: "new",
  describe: "Store your own words as a draft; no language model is needed",
  options: {
    text: {
      kind: "value",
      placeholder: "TEXT",
      describe: "The text, without an editor; a line of --- separates the posts of a thread",
    },
    media: {
      kind: "list",
      keepsCommas: true,
      placeholder: "FILE",
      describe: "A picture or video, inside media.roots; 2:FILE for the second post of a thread",
    },
    alt: {
      kind: "list",
      keepsCommas: true,
      placeholder: "TEXT",
      describe: "Alt text of the file; one per --media",
    },
    at: {
      kind: "value",
      placeholder: "TIME",
      describe:
        "Schedule it: tomorrow 9:30 or 2026-09-01 09:30 in schedule.timezone, or ISO time with its zone",
    },
    ...slotOption,
    ...priceOption,
  },
  examples: [
    { line: "tuitbot drafts new", does: "opens $EDITOR" },
    {
      line: `tuitbot drafts new --text "Good morning." --at "tomorrow 9:30"`,
      does: "schedules it",
    },
    { line: "tuitbot drafts new --text Loaf --media loaf.png --alt Bread", does: "with a picture" },
  ],
  run: async (
    { text, media = [], alt = [], at, "next-slot": nextSlot, "accept-url-price": acceptUrlPrice },
    context,
  ) => (await load()).create({ text, media, alt, at, nextSlot, acceptUrlPrice }, context),
});

const edit = command({
  name: "edit",
  describe: "Edit a draft in $EDITOR; a line of --- separates the posts of a thread",
  args,
  options: {
    text: { kind: "value", placeholder: "TEXT", describe: "The new text, without an editor" },
  },
  examples: [
    { line: "tuitbot drafts edit 3", does: "opens it; the old text is kept as a revision" },
    { line: `tuitbot drafts edit 3 --text "Shorter."`, does: "replaces the text" },
  ],
  run: async ({ draft, text }, context) => (await load()).edit(draft, text, context),
});

const schedule = command({
  name: "schedule",
  describe: "Schedule a draft, to be published by `tuitbot run` or `tuitbot tick`",
  args: {
    ...args,
    time: {
      describe: "tomorrow 9:30 or 2026-09-01 09:30 in schedule.timezone, or ISO time with its zone",
      required: false,
    },
  },
  options: { ...slotOption, ...priceOption },
  examples: [
    {
      line: "tuitbot drafts schedule 3 2026-09-01T09:30:00+02:00",
      does: "schedules it; again with another time moves it",
    },
    { line: "tuitbot drafts schedule 3 --next-slot", does: "at the next free posting slot" },
  ],
  run: async ({ draft, time, "next-slot": nextSlot, "accept-url-price": accepts }, context) =>
    (await load()).schedule(draft, { time, nextSlot }, accepts, context),
});

const repeat = command({
  name: "repeat",
  describe: "Schedule a post that recurs until an end, in variants that take turns",
  details:
    "X refuses the same words again within a day, so give enough variants. You approve all contents and times at once. Each post is a draft that you can edit or discard.",
  args: {
    times: {
      describe:
        'Weekdays and time, such as "Mon,Thu 09:30" or 09:30 for every day, or cron: "30 9 1 * *"; in schedule.timezone',
      required: true,
    },
  },
  options: {
    until: {
      kind: "value",
      placeholder: "TIME",
      describe:
        "End of the series (required): 2026-12-31 00:00 in schedule.timezone, or ISO time with its zone",
    },
    text: {
      kind: "list",
      keepsCommas: true,
      placeholder: "TEXT",
      describe: "A variant, without an editor; give it several times",
    },
    media: {
      kind: "list",
      keepsCommas: true,
      placeholder: "FILE",
      describe: "A picture or video, inside media.roots; 2:FILE for the second variant",
    },
    alt: {
      kind: "list",
      keepsCommas: true,
      placeholder: "TEXT",
      describe: "Alt text of the file; one per --media",
    },
    ...priceOption,
  },
  examples: [
    {
      line: 'tuitbot drafts repeat "Mon 09:30" --until 2026-12-31T00:00:00Z --text "Office hours today."',
      does: "every Monday until the end of the year",
    },
    {
      line: "tuitbot drafts repeat 18:00 --until 2026-12-31T00:00:00Z",
      does: "opens $EDITOR; a line of --- separates the variants",
    },
  ],
  run: async (
    { times, until, text = [], media = [], alt = [], "accept-url-price": acceptUrlPrice },
    context,
  ) => (await load()).repeat({ times, until, texts: text, media, alt, acceptUrlPrice }, context),
});

const publish = command({
  name: "publish",
  describe: "Publish a draft now; policy, limits and approval apply as for any post",
  args,
  options: priceOption,
  examples: [{ line: "tuitbot drafts publish 3", does: "with approval on, it waits for `tuitbot approve`" }],
  run: async ({ draft, "accept-url-price": accepts }, context) =>
    (await load()).publish(draft, accepts, context),
});

const discard = command({
  name: "discard",
  describe: "Discard a draft and remove it from the schedule",
  args,
  options: { series: { kind: "flag", describe: "All remaining posts of its series" } },
  examples: [
    { line: "tuitbot drafts discard 3", does: "discards draft 3; its revisions are kept" },
    { line: "tuitbot drafts discard 3 --series", does: "ends the recurring posts" },
  ],
  run: async ({ draft, series }, context) => (await load()).discard(draft, series, context),
});

const settle = command({
  name: "settle",
  describe: "Record whether a draft was posted, after you checked on X",
  args,
  options: {
    post: { kind: "value", placeholder: "POST", describe: "It was posted: the id or URL of the post" },
    "not-out": { kind: "flag", describe: "It was not posted" },
  },
  examples: [
    {
      line: "tuitbot drafts settle 3 --not-out",
      does: "sends nothing; it becomes a draft again, or its schedule tries again",
    },
    {
      line: "tuitbot drafts settle 3 --post https://x.com/i/web/status/1",
      does: "the rest of a thread can then follow",
    },
  ],
  run: async ({ draft, post, "not-out": isNotOut }, context) =>
    (await load()).settle(draft, post, isNotOut, context),
});

export const drafts = {
  name: "drafts",
  describe: "Write, list, edit, schedule, repeat, publish, settle and discard drafts",
  examples: [
    ...create.examples.slice(0, 1),
    ...list.examples,
    ...edit.examples.slice(0, 1),
    ...publish.examples,
  ],
  commands: [create, list, show, edit, schedule, repeat, publish, settle, discard],
};
