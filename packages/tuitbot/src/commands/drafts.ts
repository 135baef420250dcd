import { EXIT } from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/contract/outcome";
import { command } from "./machine.ts";

const args = { draft: { describe: "Its number", required: true } } as const;

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
  async run({ status }, context) {
    const { atDraftDesk, listDrafts, draftLine, shownDraft } = await parts();
    return atDraftDesk(context, async (desk) => {
      const drafts = await listDrafts(desk, { status, limit: 200 });
      const lines = drafts.map(draftLine);
      return ok({
        text: lines.length === 0 ? "There are none." : lines.join("\n"),
        json: { drafts: drafts.map(shownDraft) },
      });
    });
  },
});

const show = command({
  name: "show",
  describe: "Show a draft in full, with everything that happened to it",
  args,
  examples: [{ line: "tuitbot drafts show 3", does: "its texts and its revisions" }],
  async run({ draft }, context) {
    const { atDraftDesk, draftNumber, commandFailure, findDraft, revisionsOf, ...view } = await parts();
    const id = draftNumber(draft);
    if (!id.ok) return id;
    return atDraftDesk(context, async (desk) => {
      const found = await findDraft(desk, id.value);
      if (!found.ok) return failed(commandFailure(found.failure));
      const revisions = await revisionsOf(desk, id.value);
      return ok({
        text: view.draftText(found.value, revisions, context.terminal),
        json: { ...view.shownDraft(found.value), revisions: revisions.map(view.shownRevision) },
      });
    });
  },
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
  async run({ draft, text }, context) {
    const { atDraftDesk, draftNumber, commandFailure, findDraft, editDraft, BY, ...view } = await parts();
    const id = draftNumber(draft);
    if (!id.ok) return id;
    return atDraftDesk(context, async (desk) => {
      const found = await findDraft(desk, id.value);
      if (!found.ok) return failed(commandFailure(found.failure));
      const { texts, revision } = found.value;
      const { machine, terminal } = context;
      const written =
        text === undefined ? await machine.edit(view.asEdited(texts), "txt", terminal.env) : ok(text);
      if (!written.ok) return failed({ message: written.failure, fix: "Or give the text with --text." });
      const wanted = view.readEdited(written.value);
      if (wanted.length === 0) return failed({ message: "Nothing is left of it, so nothing was changed." });
      if (JSON.stringify(wanted) === JSON.stringify(texts))
        return ok({ text: "Nothing was changed.", json: view.shownDraft(found.value) });
      const edited = await editDraft(desk, id.value, { texts: wanted, revision, by: BY });
      if (!edited.ok) return failed(commandFailure(edited.failure));
      return ok({ text: view.draftLine(edited.value), json: view.shownDraft(edited.value) });
    });
  },
});

const schedule = command({
  name: "schedule",
  describe: "Have a draft published later by `tuitbot run` or `tuitbot tick`",
  args: { ...args, time: { describe: "With its zone: 2026-09-01T09:30:00+02:00", required: true } },
  examples: [
    { line: "tuitbot drafts schedule 3 2026-09-01T09:30:00+02:00", does: "again, to choose another time" },
  ],
  async run({ draft, time }, context) {
    const { atDraftDesk, draftNumber, commandFailure, readScheduleTime, scheduleDraft, BY, shownDraft } =
      await parts();
    const id = draftNumber(draft);
    if (!id.ok) return id;
    const at = readScheduleTime(time, context.machine.now());
    if (!at.ok) return failed({ ...commandFailure(at.failure), exitCode: EXIT.usage });
    return atDraftDesk(context, async (desk) => {
      const scheduled = await scheduleDraft(desk, id.value, at.value, BY);
      if (!scheduled.ok) return failed(commandFailure(scheduled.failure));
      const json = shownDraft(scheduled.value);
      return ok({ text: `Draft ${draft} goes out at ${json.scheduled_for}.`, json });
    });
  },
});

const publish = command({
  name: "publish",
  describe: "Publish a draft now, under the rules of every post",
  args,
  options: {
    "accept-url-price": { kind: "flag", describe: "Yes to what X charges for a link" },
  },
  examples: [
    { line: "tuitbot drafts publish 3", does: "where approval is on, it then waits for `tuitbot approve`" },
  ],
  async run({ draft, "accept-url-price": acceptUrlPrice }, context) {
    const { atDraftDesk, draftNumber, commandFailure, publishDraft, BY, publishedText, shownDraft } =
      await parts();
    const id = draftNumber(draft);
    if (!id.ok) return id;
    return atDraftDesk(context, async (desk) => {
      const published = await publishDraft(desk, id.value, { by: BY, acceptUrlPrice });
      if (!published.ok) return failed(commandFailure(published.failure));
      return ok({ text: publishedText(published.value), json: shownDraft(published.value) });
    });
  },
});

const discard = command({
  name: "discard",
  describe: "Give a draft up, and take it off the schedule",
  args,
  examples: [{ line: "tuitbot drafts discard 3", does: "its revisions are kept" }],
  async run({ draft }, context) {
    const { atDraftDesk, draftNumber, commandFailure, discardDraft, BY, shownDraft } = await parts();
    const id = draftNumber(draft);
    if (!id.ok) return id;
    return atDraftDesk(context, async (desk) => {
      const discarded = await discardDraft(desk, id.value, BY);
      if (!discarded.ok) return failed(commandFailure(discarded.failure));
      return ok({ text: `Draft ${draft} is discarded.`, json: shownDraft(discarded.value) });
    });
  },
});

export const drafts = {
  name: "drafts",
  describe: "Look at drafts, edit, schedule, publish and discard them",
  examples: [...list.examples, ...edit.examples.slice(0, 1), ...publish.examples],
  commands: [list, show, edit, schedule, publish, discard],
};

/** Loaded when a command runs, so that the others start without them. */
async function parts() {
  const [desk, approvals, editing, finding, publishing, times, shown, view] = await Promise.all([
    import("./draft-desk.ts"),
    import("./approval-desk.ts"),
    import("../content/drafts/edit-draft.ts"),
    import("../content/drafts/find-draft.ts"),
    import("../content/drafts/publish-draft.ts"),
    import("../content/drafts/schedule-time.ts"),
    import("../content/drafts/shown-draft.ts"),
    import("./draft-view.ts"),
  ]);
  return { ...approvals, ...desk, ...editing, ...finding, ...publishing, ...times, ...shown, ...view };
}
