import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { JsonObject, PendingItem } from "tuitbot/src/web/api.ts";
import { Plain } from "../parts/post-text.tsx";
import { EditPanel } from "../views/inbox/edit-panel.tsx";
import { argumentsWith } from "../views/inbox/item-content.ts";
import { ItemDetail } from "../views/inbox/item-detail.tsx";
import { type Answer, answerOf, itemsIn } from "./answer.ts";
import type { Host } from "./host.ts";
import { appWords } from "./words.ts";

/** An item as `tuitbot://approvals/ID` has it. */
interface ReadItem {
  readonly item: PendingItem;
  readonly decidedBy: string | undefined;
  readonly says: string | undefined;
  readonly pageUrl: string | undefined;
  readonly isScheduled: boolean;
}

/** Waiting items. It shows and proposes; decisions are made on the dashboard, where users authenticate. */
export function Approval({ host, answer }: { readonly host: Host; readonly answer: Answer }): JSX.Element {
  const [ids, setIds] = useState(itemsIn(answer));
  const [notes, setNotes] = useState<readonly string[]>([]);
  if (ids.length === 0)
    return (
      <p class="empty-app">
        <Plain text={answer.error ?? (Array.isArray(answer.data.items) ? appWords.nothing : appWords.done)} />
      </p>
    );
  return (
    <>
      {notes.map((note) => (
        <p class="note" role="status" key={note}>
          <Plain text={note} />
        </p>
      ))}
      {ids.map((id) => (
        <Item
          key={id}
          id={id}
          host={host}
          onProposed={(proposed, said) => {
            if (proposed !== undefined && !ids.includes(proposed)) setIds([proposed, ...ids]);
            setNotes(said);
          }}
        />
      ))}
    </>
  );
}

/** How often an item is looked at while it waits: a decision anywhere shows here soon. */
const LOOK_MS = 1_000;

interface ItemProps {
  readonly id: number;
  readonly host: Host;
  readonly onProposed: (proposed: number | undefined, notes: readonly string[]) => void;
}

function Item({ id, host, onProposed }: ItemProps): JSX.Element {
  const [read, setRead] = useState<ReadItem | "unreadable">();
  const [isEditing, setEditing] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [unopened, setUnopened] = useState<string>();
  useEffect(() => {
    let timer = 0;
    let isGone = false;
    const look = async () => {
      const json = await host.readJson(`tuitbot://approvals/${id}`).catch(() => undefined);
      if (isGone) return;
      const next = json === undefined ? "unreadable" : readItem(json as ApprovalResource);
      // An item that cannot be read now may be there in a moment; what was read stays.
      setRead((before) => (next === "unreadable" ? (before ?? next) : next));
      if (next === "unreadable" || IS_OPEN.has(next.item.status)) timer = window.setTimeout(look, LOOK_MS);
    };
    void look();
    return () => {
      isGone = true;
      window.clearTimeout(timer);
    };
  }, [id, host]);

  if (read === undefined) return <p class="empty-app">{appWords.waitsForAnswer}</p>;
  if (read === "unreadable") return <p class="empty-app">{appWords.unreadable(id)}</p>;
  const { item, decidedBy, says, pageUrl, isScheduled } = read;
  const waits = item.status === "pending";
  const canEdit = waits && !isScheduled && argumentsWith(item, []) !== undefined;

  async function propose({ idempotency_key: _, ...args }: JsonObject) {
    setBusy(true);
    try {
      onProposed(...(await proposeInstead(host, item, args)));
      setEditing(false);
    } finally {
      setBusy(false);
    }
  }

  return (
    <section
      class="app-item"
      data-status={item.status}
      aria-label={appWords.item(id, "")}
      onClickCapture={submitByClick}
    >
      <p class="state">
        <b>{appWords.item(id, appWords.states[item.status] ?? item.status)}</b>
        {decidedBy !== undefined && (
          <span class="soft">
            {" "}
            <Plain text={decidedBy} />
          </span>
        )}
      </p>
      {says !== undefined && (
        <p class="note">
          <Plain text={appWords.personSays(says)} />
        </p>
      )}
      <ItemDetail
        item={item}
        handle={item.context?.account ?? appWords.you}
        editor={
          isEditing && waits ? (
            <EditPanel
              item={item}
              isBusy={isBusy}
              save={isBusy ? appWords.proposing : appWords.proposeThis}
              onSave={(args) => void propose(args)}
              onCancel={() => setEditing(false)}
            />
          ) : undefined
        }
      />
      {waits && !isEditing && (
        <div class="app-actions">
          {pageUrl !== undefined && (
            <button
              type="button"
              class="primary"
              onClick={async () => setUnopened((await host.openLink(pageUrl)) ? undefined : pageUrl)}
            >
              {appWords.decide}
            </button>
          )}
          {canEdit && (
            <button type="button" onClick={() => setEditing(true)}>
              {appWords.propose}
            </button>
          )}
        </div>
      )}
      {waits && <p class="hint">{pageUrl === undefined ? appWords.noPage : appWords.decideHint}</p>}
      {unopened !== undefined && (
        <p class="note">
          {appWords.notOpened} <code>{unopened}</code>
        </p>
      )}
    </section>
  );
}

/** Hosts show apps in frames that may submit no forms: the browser would say nothing and do nothing. */
function submitByClick(event: MouseEvent): void {
  const { target } = event;
  const button = target instanceof Element ? target.closest("button") : null;
  if (button?.type !== "submit" || button.form === null) return;
  event.preventDefault();
  button.form.dispatchEvent(new Event("submit", { cancelable: true }));
}

const IS_OPEN: ReadonlySet<string> = new Set(["pending", "approved", "releasing"]);

/**
 * Makes the call again with another text, with the rights of the agent and no more: it waits for a person in turn. Then
 * the client asks the person whether the old one may go.
 */
async function proposeInstead(
  host: Host,
  { id, tool }: PendingItem,
  args: object,
): Promise<[proposed: number | undefined, notes: readonly string[]]> {
  const proposed = answerOf(await host.callTool(tool, args));
  if (!proposed.success) return [undefined, [proposed.error ?? ""]];
  const [instead] = itemsIn(proposed);
  if (instead === undefined) return [undefined, [appWords.proposedOut, appWords.stillWaits(id)]];
  const asked = await host.callTool("reject_item", { id, reason: appWords.replaced(instead) }).then(answerOf);
  return [instead, [appWords.proposedAs(instead), ...(asked.success ? [] : [appWords.stillWaits(id)])]];
}

/** The displayed part of the resource `tuitbot://approvals/ID`. */
interface ApprovalResource
  extends Pick<
    PendingItem,
    "id" | "media" | "context" | "status" | "reason" | "estimated_usd" | "created_at" | "expires_at"
  > {
  readonly action_type: string;
  readonly params: JsonObject;
  readonly matched_rule_id: string;
  readonly scheduled_for?: string;
  readonly decided_by: string | null;
  readonly person_says: string | null;
  readonly note?: string;
  readonly page_url: string | null;
}

/** The resource in the words of the page's components. */
function readItem(read: ApprovalResource): ReadItem {
  const { action_type, params, matched_rule_id, scheduled_for: at, note, ...same } = read;
  return {
    item: {
      ...same,
      tool: action_type,
      args: params,
      rule_id: matched_rule_id,
      agent_note: note ?? null,
      ...(at !== undefined && { schedule: { at, media: [] } }),
      // Nothing is approved from here, so the digest is not needed.
      digest: "",
      posts: [],
      // Files are on the machine of the server, and are looked at on its page.
      files: [],
      agent: null,
      similar: null,
      people_needed: 1,
      approved_by: [],
      asked_by: null,
    },
    decidedBy: read.decided_by ?? undefined,
    says: read.person_says ?? undefined,
    pageUrl: read.page_url ?? undefined,
    isScheduled: at !== undefined,
  };
}
