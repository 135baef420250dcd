import { weighPost } from "@toolpact/x-api/text";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { callTool, runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { changed } from "../../api/query.ts";
import type { Draft } from "../../api/shapes.ts";
import { now } from "../../format/clock.ts";
import { when } from "../../format/dates.ts";
import { Icon } from "../../parts/icons.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { may, RoleNote } from "../../parts/role-note.tsx";
import { route } from "../../parts/route.ts";
import { ScheduleDialog, type SendTime } from "../../parts/schedule-dialog.tsx";
import { discardDraft, send } from "../../parts/sending.ts";
import { toast } from "../../parts/toasts.tsx";
import { Verdict } from "../../parts/verdict.tsx";
import { words } from "../../text/words.ts";
import { Assistance } from "./assistance.tsx";
import { Comments } from "./comments.tsx";
import {
  afterSaving,
  type Change,
  contentOf,
  type Editing,
  editingOf,
  hasOpenPoll,
  hasSameContent,
  isUnsaved,
  NEW,
  numbered,
} from "./editing.ts";
import { KeptNote } from "./kept-note.tsx";
import { OptionsFields } from "./options-fields.tsx";
import { PostField } from "./post-field.tsx";
import { Preview } from "./preview.tsx";
import { RecurringDialog } from "./recurring-dialog.tsx";
import { Revisions } from "./revisions.tsx";

interface EditorProps {
  readonly here: SignedIn;
  readonly editing: Editing;
  readonly onChange: (change: Change) => void;
  /** Other words take the place of those in the editor. */
  readonly onReplace: (texts: readonly string[]) => void;
  /** Brings back what was replaced; undefined where nothing was. */
  readonly onBringBack: (() => void) | undefined;
  /** Whether the server has what was typed. */
  readonly isOnServer: boolean;
  /** Whether another browser has other unsaved changes of the same draft. */
  readonly isElsewhere: boolean;
}

export function Editor(props: EditorProps): JSX.Element {
  const { here, editing, onChange, onReplace, onBringBack, isOnServer, isElsewhere } = props;
  const { draft, texts } = editing;
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const [asking, setAsking] = useState<"schedule" | "recurring">();
  const content = contentOf(editing);
  const isEmpty = content.texts.length === 0;
  const isChanged = isUnsaved(editing);
  const [shownPrice, setShownPrice] = useState<number>();
  const setTexts = (change: (texts: readonly string[]) => readonly string[]) =>
    onChange((now) => ({ ...now, texts: change(now.texts) }));
  const mayWrite = may(here, "owner");

  /** Stores the texts, if they are not stored as they are. */
  async function save(): Promise<Draft | undefined> {
    if (draft !== undefined && !isChanged) return draft;
    const answer = await runCommand("draft_save", {
      ...(draft !== undefined && { id: draft.draft_id, revision: draft.revision }),
      texts: [...content.texts],
      media: content.media.map((file) => ({ ...file })),
      options: content.options,
    });
    if (!answer.ok) {
      setProblem(answer.failure);
      return undefined;
    }
    onChange(afterSaving(editing, answer.value));
    changed(["drafts"]);
    return answer.value;
  }
  /** It is published or on its way, so the editor is cleared. Text typed meanwhile stays. */
  const clear = () => onChange((now) => (hasSameContent(now, editing) ? NEW : { ...now, draft: undefined }));
  /** Says why, and reads the draft again: an attempt is a revision too. */
  async function refuse(failure: Problem, id: number) {
    setProblem(failure);
    const found = await runCommand("drafts", { id });
    const latest = found.ok ? found.value.drafts[0] : undefined;
    if (latest !== undefined) onChange(afterSaving(editing, latest));
  }
  async function act(work: (saved: Draft) => Promise<void>) {
    setBusy(true);
    setProblem(undefined);
    const saved = await save();
    if (saved !== undefined) await work(saved);
    setBusy(false);
  }
  const publish = () =>
    act(async (saved) => {
      const sent = await send(saved, shownPrice === undefined ? {} : { price_usd: shownPrice });
      if (!sent.ok) return refuse(sent.failure, saved.draft_id);
      clear();
    });
  const schedule = (time: SendTime) =>
    act(async (saved) => {
      const sent = await send(saved, time);
      if (!sent.ok) return refuse(sent.failure, saved.draft_id);
      setAsking(undefined);
      onChange(afterSaving(editing, sent.value.draft));
    });
  const discard = async (of: Draft) => {
    const failure = await discardDraft(of);
    if (failure !== undefined) return setProblem(failure);
    onChange(() => NEW);
  };
  /** Goes back to what is stored. */
  const drop = () => {
    onChange(() => (draft === undefined ? NEW : editingOf(draft)));
    toast(words.compose.dropped, { label: words.inbox.undo, key: "u", run: () => onChange(() => editing) });
  };
  const isOff = isBusy || isEmpty || !mayWrite || hasOpenPoll(editing);
  const { poll_options, in_reply_to_id, quoted_tweet_id } = content.options;
  const canRepeat =
    poll_options === undefined && in_reply_to_id === undefined && quoted_tweet_id === undefined;
  const hasLink = texts.some((text) => weighPost(text).billable_as === "post_with_url");
  const linkPrice = hasLink ? { accept_url_price: true } : {};
  return (
    <div class="compose">
      <section class="panel editor" aria-label={words.compose.editor}>
        <ol class="posts">
          {texts.map((_, index) => (
            <PostField
              key={index}
              editing={editing}
              index={index}
              here={here}
              mayWrite={mayWrite}
              onChange={onChange}
              onSave={() => {
                if (!isOff) void act(async () => toast(words.compose.saved));
              }}
            />
          ))}
        </ol>
        <p class="row">
          <button type="button" class="small" onClick={() => setTexts((all) => [...all, ""])}>
            <Icon name="plus" size={16} />
            {words.compose.addPost}
          </button>
          {texts.length > 1 && (
            <button type="button" class="small" onClick={() => onChange(numbered)}>
              {words.compose.number}
            </button>
          )}
          {mayWrite && <Assistance onText={onReplace} />}
        </p>
        <OptionsFields editing={editing} isOff={!mayWrite} onChange={onChange} />
        {onBringBack !== undefined && (
          <p class="row small" role="status">
            {words.compose.replaced}
            <button type="button" class="small" onClick={onBringBack}>
              <Icon name="undo" size={16} />
              {words.inbox.undo}
            </button>
          </p>
        )}
        {problem !== undefined && asking === undefined && <ProblemBox problem={problem} />}
        <RoleNote here={here} needs="owner" what="write" />
        <div class="row actions-bar">
          <button type="button" class="primary" disabled={isOff} onClick={() => void publish()}>
            {words.compose.publish}
          </button>
          <button
            type="button"
            disabled={isOff}
            onClick={() => {
              setProblem(undefined);
              setAsking("schedule");
            }}
          >
            <Icon name="clock" size={16} />
            {words.compose.schedule}
          </button>
          <button type="button" disabled={isOff || !canRepeat} onClick={() => setAsking("recurring")}>
            <Icon name="repost" size={16} />
            {words.compose.recurring.button}
          </button>
          <button
            type="button"
            title="Ctrl ↵"
            aria-keyshortcuts="Control+Enter"
            disabled={isOff || !isChanged}
            onClick={() => void act(async () => toast(words.compose.saved))}
          >
            {words.compose.save}
          </button>
          {draft !== undefined && (
            <button
              type="button"
              class="quiet"
              disabled={isBusy || !mayWrite}
              onClick={() => void discard(draft)}
            >
              {words.compose.discard}
            </button>
          )}
        </div>
        {isElsewhere && <p class="warn-text small">{words.compose.alsoElsewhere}</p>}
        {isChanged && <KeptNote editing={editing} isOnServer={isOnServer} isBusy={isBusy} onDrop={drop} />}
        {draft !== undefined && <Revisions draft={draft} onRestore={onReplace} />}
      </section>
      <section class="preview" aria-label={words.compose.preview}>
        <h2 class="soft small">{words.compose.preview}</h2>
        <Preview editing={editing} here={here} />
        <Verdict
          content={content}
          isEmpty={isEmpty || hasOpenPoll(editing)}
          emptyNote={hasOpenPoll(editing) ? words.compose.options.openPoll : undefined}
          onPrice={setShownPrice}
        />
        {draft !== undefined && <Comments key={draft.draft_id} draft={draft} here={here} />}
      </section>
      {asking === "recurring" && (
        <RecurringDialog
          zone={here.timezone}
          variants={content.texts.length}
          content={{ variants: content.texts, media: content.media, ...linkPrice }}
          onClose={() => setAsking(undefined)}
          onDone={({ series_id: id, count, next, status }) => {
            setAsking(undefined);
            changed();
            clear();
            const first = when(next[0]?.scheduled_for ?? "", now.value);
            const run = async () => {
              const ended = await callTool("discard_draft", { id, series: true });
              changed();
              if (ended.ok) onChange(() => editing);
              toast(ended.ok ? words.compose.takenBack : ended.failure.message);
            };
            const undo = { label: words.inbox.undo, key: "u", run: () => void run() };
            toast(words.compose.recurring.done(count, first, status === "queued"), undo);
          }}
        />
      )}
      {asking === "schedule" && (
        <ScheduleDialog
          here={here}
          zone={here.timezone}
          current={draft?.scheduled_for ?? route.value.filters.at}
          problem={problem}
          isBusy={isBusy}
          onClose={() => {
            setAsking(undefined);
            setProblem(undefined);
          }}
          onSchedule={(request) => void schedule(request)}
        />
      )}
    </div>
  );
}
