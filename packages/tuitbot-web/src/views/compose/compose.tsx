import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Draft } from "../../api/shapes.ts";
import { now } from "../../format/clock.ts";
import { when } from "../../format/dates.ts";
import { Icon } from "../../parts/icons.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Plain } from "../../parts/post-text.tsx";
import { addressOf, go, goInstead, route } from "../../parts/route.ts";
import { broughtBack, inUndoTime } from "../../parts/sending.ts";
import { words } from "../../text/words.ts";
import { type Editing, editingOf, NEW, withLatest } from "./editing.ts";
import { Editor } from "./editor.tsx";
import { type EditingState, useEditing } from "./use-editing.ts";

/** The user's posts and threads, with a preview of X's response. */
export function Compose({ here }: { readonly here: SignedIn }): JSX.Element {
  const state = useEditing(here);
  const { opened, open, change, replace, bringBack } = state;
  const drafts = useQuery("drafts", () => runCommand("drafts"), ["drafts"]);
  const all = drafts.value?.drafts;
  useEffect(() => {
    for (const draft of all ?? [])
      if (draft.draft_id === opened.editing.draft?.draft_id)
        change(opened, (text) => withLatest(text, draft));
  }, [all]);
  const back = broughtBack.value;
  useEffect(() => {
    if (back === undefined) return;
    broughtBack.value = undefined;
    open(editingOf(back));
  }, [back]);
  const id = opened.editing.draft?.draft_id;
  const { thing } = route.value;
  const isLoaded = all !== undefined;
  useEffect(() => {
    const asked = all?.find(({ draft_id }) => String(draft_id) === thing);
    if (asked !== undefined && asked.draft_id !== id) open(editingOf(asked));
  }, [thing, isLoaded]);
  useEffect(() => {
    if (id !== undefined && thing === undefined && route.peek().view === "compose")
      goInstead(addressOf("compose", id, route.peek().filters));
  }, [id]);
  const isElsewhere = id !== undefined && state.others.some(({ editing }) => editing.draft?.draft_id === id);
  return (
    <Page
      title={words.views.compose}
      lead={words.compose.lead}
      actions={
        <button
          type="button"
          onClick={() => {
            go(addressOf("compose"));
            open(NEW);
          }}
        >
          <Icon name="plus" size={16} />
          {words.compose.fresh}
        </button>
      }
    >
      <Editor
        key={opened.number}
        here={here}
        editing={opened.editing}
        onChange={(update) => change(opened, update)}
        onReplace={(texts) => replace(opened, texts)}
        onBringBack={opened.replaced === undefined ? undefined : bringBack}
        isOnServer={state.isOnServer}
        isElsewhere={isElsewhere}
      />
      <section class="panel" aria-label={words.compose.drafts}>
        <header>
          <h2>{words.compose.drafts}</h2>
        </header>
        <Loaded query={drafts} height={120}>
          {({ drafts: stored }) => (
            <Texts stored={withoutRepeats(stored).toSorted(bySendTime)} state={state} />
          )}
        </Loaded>
      </section>
    </Page>
  );
}

/** Recurring posts are listed once, by the next of them. */
function withoutRepeats(drafts: readonly Draft[]): readonly Draft[] {
  const next = new Map<number, Draft>();
  for (const draft of drafts) {
    const id = draft.series?.id;
    if (id !== undefined && draft.draft_id < (next.get(id)?.draft_id ?? Number.POSITIVE_INFINITY))
      next.set(id, draft);
  }
  return drafts.filter((draft) => draft.series === null || next.get(draft.series.id) === draft);
}

/** Drafts without a time first, then the next to be published. */
function bySendTime({ scheduled_for: one }: Draft, { scheduled_for: other }: Draft): number {
  return (one === null ? 0 : Date.parse(one)) - (other === null ? 0 : Date.parse(other));
}

interface TextsProps {
  readonly stored: readonly Draft[];
  readonly state: EditingState;
}

/** Texts that are not saved, of this and other browsers, followed by stored drafts. */
function Texts({ stored, state }: TextsProps): JSX.Element {
  const { kept, others, opened, open, openKept, takeOver } = state;
  const changedIds = new Set(kept.map(({ editing }) => editing.draft?.draft_id));
  const isStored = (id: number | undefined) => stored.some(({ draft_id }) => draft_id === id);
  const unstored = kept.filter(({ editing }) => !isStored(editing.draft?.draft_id));
  if (stored.length + unstored.length + others.length === 0)
    return <p class="soft">{words.compose.noDrafts}</p>;
  return (
    <ul class="rows">
      {unstored.map((one) => (
        <li key={one.key}>
          <button
            type="button"
            class="row-button"
            aria-current={
              one.fresh === opened.fresh && opened.editing.draft === undefined ? "true" : undefined
            }
            onClick={() => {
              go(addressOf("compose"));
              openKept(one);
            }}
          >
            <span class="entry-said">
              <Plain text={firstWords(one.editing)} />
            </span>
            <span class="chip warn">{words.compose.notSaved}</span>
          </button>
        </li>
      ))}
      {others.map((other) => (
        <li key={`${other.text.browser} ${other.text.key}`}>
          <button type="button" class="row-button" onClick={() => takeOver(other)}>
            <span class="entry-said">
              <Plain text={firstWords(other.editing)} />
            </span>
            <span class="chip warn">{words.compose.elsewhere}</span>
          </button>
        </li>
      ))}
      {stored.map((draft) => (
        <li key={draft.draft_id}>
          <button
            type="button"
            class="row-button"
            aria-current={draft.draft_id === opened.editing.draft?.draft_id ? "true" : undefined}
            onClick={() => {
              go(addressOf("compose", draft.draft_id));
              open(editingOf(draft));
            }}
          >
            <span class="entry-said">
              <Plain text={draft.texts[0] ?? ""} />
            </span>
            <span class="row">
              {changedIds.has(draft.draft_id) && <span class="chip warn">{words.compose.unsaved}</span>}
              <DraftChip draft={draft} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function firstWords({ texts }: Editing): string {
  return texts.find((text) => text.trim() !== "") ?? "";
}

function DraftChip({ draft }: { readonly draft: Draft }): JSX.Element {
  const { status, scheduled_for: at, approval } = draft;
  const text =
    inUndoTime.value === draft.draft_id
      ? words.compose.statuses.publishing
      : at === null
        ? words.compose.statuses[status]
        : when(at, now.value);
  const tone = approval === "waiting" ? "warn" : at === null ? "" : "accent";
  return (
    <span class={`chip ${tone}`}>
      {text}
      {approval === "waiting" && ` · ${words.compose.waits}`}
    </span>
  );
}
