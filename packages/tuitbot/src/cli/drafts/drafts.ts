import { command } from "../machine.ts";

const priceOption = {
  "accept-url-price": { kind: "flag", describe: "Yes to what X charges for a link" },
} as const;

const args = { draft: { describe: "Its number", required: true } } as const;

/** Loaded when a command runs, so that the others start without it. */
const work = () => import("./draft-work.ts");

const list = command({
  name: "list",
  describe: "Show the drafts that are still to be decided about",
  options: {
    status: {
      kind: "value",
      placeholder: "STATUS",
      describe: "Only those of one status",
      choices: ["draft", "scheduled", "publishing", "queued", "published", "discarded"],
    },
  },
  examples: [{ line: "tuitbot drafts list --status scheduled", does: "what goes out by itself" }],
  run: async ({ status }, context) => (await work()).list(status, context),
});

const show = command({
  name: "show",
  describe: "Show a draft in full, with everything that happened to it",
  args,
  examples: [{ line: "tuitbot drafts show 3", does: "its texts and its revisions" }],
  run: async ({ draft }, context) => (await work()).show(draft, context),
});

const edit = command({
  name: "edit",
  describe: "Edit a draft in $EDITOR; a line of --- stands between the posts of a thread",
  args,
  options: {
    text: { kind: "value", placeholder: "TEXT", describe: "The new text, without an editor" },
  },
  examples: [
    { line: "tuitbot drafts edit 3", does: "opens it; what it was is kept as a revision" },
    { line: `tuitbot drafts edit 3 --text "Shorter."`, does: "puts that in its place" },
  ],
  run: async ({ draft, text }, context) => (await work()).edit(draft, text, context),
});

const schedule = command({
  name: "schedule",
  describe: "Have a draft published later by `tuitbot run` or `tuitbot tick`",
  args: { ...args, time: { describe: "With its zone: 2026-09-01T09:30:00+02:00", required: true } },
  options: priceOption,
  examples: [
    { line: "tuitbot drafts schedule 3 2026-09-01T09:30:00+02:00", does: "again, to choose another time" },
  ],
  run: async ({ draft, time, "accept-url-price": accepts }, context) =>
    (await work()).schedule(draft, time, accepts, context),
});

const publish = command({
  name: "publish",
  describe: "Publish a draft now, under the rules of every post",
  args,
  options: priceOption,
  examples: [
    { line: "tuitbot drafts publish 3", does: "where approval is on, it then waits for `tuitbot approve`" },
  ],
  run: async ({ draft, "accept-url-price": accepts }, context) =>
    (await work()).publish(draft, accepts, context),
});

const discard = command({
  name: "discard",
  describe: "Give a draft up, and take it off the schedule",
  args,
  examples: [{ line: "tuitbot drafts discard 3", does: "its revisions are kept" }],
  run: async ({ draft }, context) => (await work()).discard(draft, context),
});

const settle = command({
  name: "settle",
  describe: "Say what became of a draft that X did not answer to, once you have looked there",
  args,
  options: {
    post: { kind: "value", placeholder: "POST", describe: "It is out: the id or address of the post" },
    "not-out": { kind: "flag", describe: "It is not out" },
  },
  examples: [
    {
      line: "tuitbot drafts settle 3 --not-out",
      does: "nothing is sent now: a draft again, or tried again by its schedule",
    },
    {
      line: "tuitbot drafts settle 3 --post https://x.com/i/web/status/1",
      does: "the rest of a thread, if there is one, then follows",
    },
  ],
  run: async ({ draft, post, "not-out": isNotOut }, context) =>
    (await work()).settle(draft, post, isNotOut, context),
});

export const drafts = {
  name: "drafts",
  describe: "Look at drafts, edit, schedule, publish, settle and discard them",
  examples: [...list.examples, ...edit.examples.slice(0, 1), ...publish.examples],
  commands: [list, show, edit, schedule, publish, settle, discard],
};
