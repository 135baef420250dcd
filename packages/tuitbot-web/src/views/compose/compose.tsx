import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { callTool } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Draft } from "../../api/shapes.ts";
import { now } from "../../format/clock.ts";
import { when } from "../../format/dates.ts";
import { Icon } from "../../parts/icons.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Plain } from "../../parts/post-text.tsx";
import { words } from "../../text/en.ts";
import { type Editing, editingOf, NEW } from "./editing.ts";
import { Editor } from "./editor.tsx";

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
                      onClick={() => setEditing(editingOf(draft))}
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
