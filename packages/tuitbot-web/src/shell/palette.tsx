import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import { useQuery } from "../api/query.ts";
import { day } from "../format/dates.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";
import { noticeState, turnOnNotices } from "../parts/notices.ts";
import { Plain } from "../parts/post-text.tsx";
import { addressOf, go } from "../parts/route.ts";
import { toolName } from "../parts/tool-name.ts";
import { words } from "../text/words.ts";
import { openAccount } from "./accounts.tsx";
import { toggleTheme } from "./theme.ts";
import { address, VIEWS } from "./views.ts";

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

/** Ctrl+K or Cmd+K anywhere, and `/` outside of fields. */
export function usePaletteKeys(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isField =
        event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null;
      const isCombination = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      if (!isCombination && (event.key !== "/" || isField || event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      openPalette();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** Search in views, actions, items, drafts and published posts. */
export function Palette({ here }: { readonly here: SignedIn }): JSX.Element | null {
  return isOpen.value ? <OpenPalette here={here} /> : null;
}

interface Hit {
  readonly icon: IconName;
  readonly title: string;
  readonly note: string;
  readonly run: () => void;
}

const MAX_HITS = 12;

function OpenPalette({ here }: { readonly here: SignedIn }): JSX.Element {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const pending = useQuery("pending", () => runCommand("pending"), ["approvals"]);
  const drafts = useQuery("drafts", () => runCommand("drafts"), ["drafts"]);
  const published = useQuery("performance-365", () => runCommand("performance", { days: 365 }));
  const open = (to: string) => () => go(to);
  const texts = words.palette;
  const all: readonly Hit[] = [
    ...VIEWS.map((view) => ({
      icon: view.id,
      title: words.views[view.id],
      note: texts.view,
      run: open(address(view)),
    })),
    { icon: "plus", title: texts.newPost, note: texts.action, run: open(addressOf("compose")) },
    { icon: "moon", title: texts.theme, note: texts.action, run: toggleTheme },
    ...(noticeState() === "off"
      ? [{ icon: "inbox" as const, title: texts.notify, note: texts.action, run: () => void turnOnNotices() }]
      : []),
    ...here.accounts
      .filter(({ is_this }) => !is_this)
      .map(({ name }) => ({
        icon: "person" as const,
        title: name,
        note: texts.account,
        run: () => void openAccount(name),
      })),
    ...(pending.value?.items ?? []).map((item) => ({
      icon: "inbox" as const,
      title: item.posts[0]?.text ?? toolName(item.tool),
      note: words.views.inbox,
      run: open(addressOf("inbox", item.id)),
    })),
    ...(drafts.value?.drafts ?? []).map((draft) => ({
      icon: "compose" as const,
      title: draft.texts[0] ?? "",
      note: texts.draft,
      run: open(addressOf("compose", draft.draft_id)),
    })),
    ...(published.value?.posts ?? []).map((post) => ({
      icon: "analytics" as const,
      title: post.text,
      note: day(post.published_at.slice(0, 10)),
      run: open(addressOf("analytics", post.id)),
    })),
  ];
  const wanted = text.trim().toLowerCase();
  const hits = all.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, MAX_HITS);
  const close = () => {
    isOpen.value = false;
  };
  const choose = (hit: Hit | undefined) => {
    if (hit === undefined) return;
    close();
    hit.run();
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") choose(hits[at]);
    else if (step !== undefined) setAt(Math.max(0, Math.min(hits.length - 1, at + step)));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={texts.title(here.account.username ?? here.account.id)} onClose={close}>
      <input
        autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={hits[at] === undefined ? undefined : `${list}-${at}`}
        aria-label={texts.label}
        placeholder={texts.label}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={keys}
      />
      <div id={list} class="palette" role="listbox" aria-label={texts.label}>
        {hits.map((hit, index) => (
          <button
            key={`${index} ${hit.title}`}
            id={`${list}-${index}`}
            type="button"
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onClick={() => choose(hit)}
          >
            <Icon name={hit.icon} size={16} />
            <span class="entry-said">
              <Plain text={hit.title.slice(0, 120)} />
            </span>
            <span class="soft small">{hit.note}</span>
          </button>
        ))}
      </div>
      {hits.length === 0 && <p class="soft">{texts.nothing}</p>}
    </Dialog>
  );
}
