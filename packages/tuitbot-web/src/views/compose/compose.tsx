import { weighPost } from "@toolpact/x-api/text";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { callTool } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { changed, useQuery } from "../../api/query.ts";
import type { Draft, Revision } from "../../api/shapes.ts";
import { now } from "../../format/clock.ts";
import { when } from "../../format/dates.ts";
import { Counter } from "../../parts/counter.tsx";
import { Difference } from "../../parts/difference.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { OwnPost } from "../../parts/post-card.tsx";
import { OwnText, Plain } from "../../parts/post-text.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { ScheduleDialog } from "../../parts/schedule-dialog.tsx";
import { toast } from "../../parts/toasts.tsx";
import { Verdict } from "../../parts/verdict.tsx";
import { words } from "../../text/en.ts";

interface Editing {
  /** Undefined for a text that is not stored yet. */
  readonly draft: Draft | undefined;
  readonly texts: readonly string[];
}

const NEW: Editing = { draft: undefined, texts: [""] };

/** Posts and threads of one's own, with what X would make of them. */
export function Compose({ here }: { readonly here: SignedIn }): JSX.Element {
  const [editing, setEditing] = useState<Editing>(NEW);
  const drafts = useQuery(
    "drafts",
    () => callTool<{ readonly drafts: readonly Draft[] }>("list_drafts", { limit: 100 }),
    ["drafts"],
  );
  return (
    <Page
      title={words.views.compose}
      lead={words.compose.lead}
      actions={
        <button type="button" onClick={() => setEditing(NEW)}>
          <Icon name="plus" size={16} />
          {words.compose.fresh}
        </button>
      }
    >
      <Editor key={editing.draft?.draft_id ?? "new"} here={here} editing={editing} onChange={setEditing} />
      <section class="panel" aria-label={words.compose.drafts}>
        <header>
          <h2>{words.compose.drafts}</h2>
        </header>
        <Loaded query={drafts} height={120}>
          {({ drafts: all }) =>
            all.length === 0 ? (
              <p class="soft">{words.compose.noDrafts}</p>
            ) : (
              <ul class="rows">
                {all.map((draft) => (
                  <li key={draft.draft_id}>
                    <button
                      type="button"
                      class="row-button"
                      aria-current={draft.draft_id === editing.draft?.draft_id ? "true" : undefined}
                      onClick={() => setEditing({ draft, texts: draft.texts })}
                    >
                      <span class="entry-said">
                        <Plain text={draft.texts[0] ?? ""} />
                      </span>
                      <DraftChip draft={draft} />
                    </button>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </section>
    </Page>
  );
}

function DraftChip({ draft }: { readonly draft: Draft }): JSX.Element {
  const { status, scheduled_for: at, approval } = draft;
  const text = at === null ? words.compose.statuses[status] : when(at, now.value);
  const tone = approval === "waiting" ? "warn" : at === null ? "" : "accent";
  return (
    <span class={`chip ${tone}`}>
      {text}
      {approval === "waiting" && ` · ${words.compose.waits}`}
    </span>
  );
}

interface EditorProps {
  readonly here: SignedIn;
  readonly editing: Editing;
  readonly onChange: (editing: Editing) => void;
}

function Editor({ here, editing, onChange }: EditorProps): JSX.Element {
  const { draft, texts } = editing;
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const [isScheduling, setScheduling] = useState(false);
  const isEmpty = texts.every((text) => text.trim() === "");
  const isChanged = draft === undefined ? !isEmpty : texts.join("\u0000") !== draft.texts.join("\u0000");
  const hasLink = texts.some((text) => weighPost(text).billable_as === "post_with_url");
  const setTexts = (next: readonly string[]) => onChange({ draft, texts: next });
  const isViewer = here.role === "viewer";
  const handle = here.account.username === null ? here.account.id : `@${here.account.username}`;

  /** Stores the texts, if they are not stored as they are. */
  async function save(): Promise<Draft | undefined> {
    if (draft !== undefined && !isChanged) return draft;
    const kept = texts.filter((text) => text.trim() !== "");
    const answer =
      draft === undefined
        ? await callTool<Draft>("create_draft", { texts: kept })
        : await callTool<Draft>("edit_draft", { id: draft.draft_id, texts: kept, revision: draft.revision });
    if (!answer.ok) {
      setProblem(answer.failure);
      return undefined;
    }
    onChange({ draft: answer.value, texts: answer.value.texts });
    changed(["drafts"]);
    return answer.value;
  }
  async function act(work: (saved: Draft) => Promise<void>) {
    setBusy(true);
    setProblem(undefined);
    const saved = await save();
    if (saved !== undefined) await work(saved);
    setBusy(false);
  }
  const price = hasLink ? { accept_url_price: true } : {};
  const publish = () =>
    act(async ({ draft_id }) => {
      const answer = await callTool<Draft>("publish_draft", { id: draft_id, ...price });
      if (!answer.ok) return setProblem(answer.failure);
      changed();
      onChange(NEW);
      toast(answer.value.status === "queued" ? words.compose.queued : words.compose.published);
    });
  const schedule = (when_: object) =>
    act(async ({ draft_id }) => {
      const answer = await callTool<Draft>("schedule_draft", { id: draft_id, ...when_, ...price });
      if (!answer.ok) return setProblem(answer.failure);
      setScheduling(false);
      changed();
      onChange({ draft: answer.value, texts: answer.value.texts });
      toast(words.compose.scheduled(when(answer.value.scheduled_for ?? "", now.value)));
    });
  const discard = async () => {
    if (draft === undefined) return onChange(NEW);
    const answer = await callTool("discard_draft", { id: draft.draft_id });
    if (!answer.ok) return setProblem(answer.failure);
    changed(["drafts"]);
    onChange(NEW);
    toast(words.compose.discarded);
  };
  const isOff = isBusy || isEmpty || isViewer;
  return (
    <div class="compose">
      <section class="panel editor" aria-label={words.compose.editor}>
        <ol class="posts">
          {texts.map((text, index) => (
            <li key={index}>
              <label class="field">
                <span>
                  {texts.length > 1 ? words.post.part(index + 1, texts.length) : words.compose.post}
                </span>
                <textarea
                  rows={Math.min(10, Math.max(4, Math.ceil(text.length / 55)))}
                  dir="auto"
                  placeholder={index === 0 ? words.compose.placeholder : ""}
                  value={text}
                  onInput={(event) => setTexts(texts.with(index, event.currentTarget.value))}
                  onKeyDown={(event) => {
                    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void act(async () => {});
                  }}
                />
              </label>
              <p class="row">
                <Counter text={text} />
                <span class="grow" />
                {texts.length > 1 && (
                  <button
                    type="button"
                    class="quiet small"
                    aria-label={words.compose.removePost(index + 1)}
                    onClick={() => setTexts(texts.toSpliced(index, 1))}
                  >
                    <Icon name="trash" size={16} />
                  </button>
                )}
              </p>
            </li>
          ))}
        </ol>
        <p class="row">
          <button type="button" class="small" onClick={() => setTexts([...texts, ""])}>
            <Icon name="plus" size={16} />
            {words.compose.addPost}
          </button>
          <Assistance onText={(written) => setTexts(written)} />
        </p>
        {problem !== undefined && <ProblemBox problem={problem} />}
        <div class="row">
          <button type="button" class="primary" disabled={isOff} onClick={() => void publish()}>
            {words.compose.publish}
          </button>
          <button type="button" disabled={isOff} onClick={() => setScheduling(true)}>
            <Icon name="clock" size={16} />
            {words.compose.schedule}
          </button>
          <button
            type="button"
            disabled={isOff || !isChanged}
            onClick={() => void act(async () => toast(words.compose.saved))}
          >
            {words.compose.save}
          </button>
          {draft !== undefined && (
            <button type="button" class="quiet" disabled={isBusy || isViewer} onClick={() => void discard()}>
              {words.compose.discard}
            </button>
          )}
        </div>
        {draft !== undefined && <Revisions draft={draft} onRestore={(old) => setTexts(old)} />}
      </section>
      <section class="preview" aria-label={words.compose.preview}>
        <h2 class="soft small">{words.compose.preview}</h2>
        <div class="card acts-on">
          {texts.map((text, index) => (
            <div class="proposal" key={index}>
              <OwnPost
                handle={handle}
                note={texts.length > 1 ? words.post.part(index + 1, texts.length) : words.post.asShown}
              >
                <p class={text === "" ? "post-text soft" : "post-text"} dir="auto">
                  {text === "" ? words.compose.nothing : <OwnText text={text} />}
                </p>
              </OwnPost>
            </div>
          ))}
        </div>
        <Verdict texts={texts} isEmpty={isEmpty} />
      </section>
      {isScheduling && (
        <ScheduleDialog
          zone={here.timezone}
          current={draft?.scheduled_for ?? undefined}
          onClose={() => setScheduling(false)}
          onSchedule={(request) => void schedule(request)}
        />
      )}
    </div>
  );
}

/** Has the configured language model write a first version. */
function Assistance({ onText }: { readonly onText: (texts: readonly string[]) => void }): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [topic, setTopic] = useState("");
  async function write(event: Event) {
    event.preventDefault();
    setBusy(true);
    const answer = await callTool<{ readonly tweet: string }>(
      "generate_tweet",
      topic.trim() === "" ? {} : { topic: topic.trim() },
    );
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (answer.ok) onText([answer.value.tweet]);
  }
  return (
    <form class="row assistance" onSubmit={write}>
      <input
        aria-label={words.compose.topic}
        placeholder={words.compose.topic}
        value={topic}
        onInput={(event) => setTopic(event.currentTarget.value)}
      />
      <button type="submit" class="small" disabled={isBusy}>
        <Icon name="spark" size={16} />
        {words.compose.write}
      </button>
      {problem !== undefined && <ProblemBox problem={problem} />}
    </form>
  );
}

/** What a draft was before. */
function Revisions({
  draft,
  onRestore,
}: {
  readonly draft: Draft;
  readonly onRestore: (texts: readonly string[]) => void;
}): JSX.Element {
  const query = useQuery(
    `draft-${draft.draft_id}`,
    () => callTool<{ readonly revisions: readonly Revision[] }>("get_draft", { id: draft.draft_id }),
    ["drafts"],
  );
  const { reload } = query;
  useEffect(() => void reload(), [draft.revision]);
  return (
    <details>
      <summary>{words.compose.revisions(query.value?.revisions.length ?? 0)}</summary>
      <Loaded query={query} height={60}>
        {({ revisions }) => (
          <ol class="revisions">
            {revisions.toReversed().map((revision, index, all) => (
              <li key={revision.revision}>
                <p class="row">
                  <b>{words.compose.revision(revision.revision)}</b>
                  <span class="soft small">
                    {revision.what}, {revision.by}, {when(revision.at, now.value)}
                  </span>
                  <span class="grow" />
                  <button type="button" class="quiet small" onClick={() => onRestore(revision.texts)}>
                    {words.compose.restore}
                  </button>
                </p>
                <Difference
                  before={all[index + 1]?.texts.join("\n\n") ?? ""}
                  after={revision.texts.join("\n\n")}
                />
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </details>
  );
}
