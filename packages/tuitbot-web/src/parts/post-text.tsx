import { parsePost } from "@toolpact/x-api/text";
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { words } from "../text/words.ts";

/** Characters that are invisible or reverse the order of others. A person decides about what they see. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** Line breaks, tabs, and the joiner of emoji. */
const AS_IS: ReadonlySet<string> = new Set(["\n", "\t", "\u200d"]);

/** A text with every hidden character spelt out. */
export function Plain({ text }: { readonly text: string }): JSX.Element {
  if (!HIDDEN.test(text)) return <>{text}</>;
  const parts: ComponentChildren[] = [];
  let shown = "";
  for (const character of text) {
    if (AS_IS.has(character) || !HIDDEN.test(character)) {
      shown += character;
      continue;
    }
    const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    parts.push(
      shown,
      <mark class="hidden" title={words.post.hiddenCharacter}>
        {code}
      </mark>,
    );
    shown = "";
  }
  return (
    <>
      {parts}
      {shown}
    </>
  );
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: "link" | "name";
}

interface OwnTextProps {
  readonly text: string;
  /** Shows links as X does, without their scheme and the end of their path. Approvers see them whole. */
  readonly shortensLinks?: boolean;
}

/** A text of ours, with links and names marked. */
export function OwnText({ text, shortensLinks = false }: OwnTextProps): JSX.Element {
  const { text: normal, urls, mentions, hashtags, cashtags } = parsePost(text);
  const spans: readonly Span[] = [
    ...urls.map(({ start, end }) => ({ start, end, kind: "link" as const })),
    ...[...mentions, ...hashtags, ...cashtags].map(({ start, end }) => ({
      start,
      end,
      kind: "name" as const,
    })),
  ].sort((a, b) => a.start - b.start);
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const { start, end, kind } of spans) {
    parts.push(
      <Plain text={normal.slice(at, start)} />,
      <mark class={`entity ${kind}`}>
        <Plain
          text={
            kind === "link" && shortensLinks ? shortLink(normal.slice(start, end)) : normal.slice(start, end)
          }
        />
      </mark>,
    );
    at = end;
  }
  return (
    <>
      {parts}
      <Plain text={normal.slice(at)} />
    </>
  );
}

/** X shows so much of the path of a link. */
const SHOWN_PATH = 15;

function shortLink(link: string): string {
  const bare = link.replace(/^https?:\/\//i, "").replace(/^www\./i, "");
  const slash = bare.indexOf("/");
  if (slash === -1) return bare;
  const path = bare.slice(slash);
  return path.length <= SHOWN_PATH ? bare : `${bare.slice(0, slash)}${path.slice(0, SHOWN_PATH)}…`;
}

/** More than a person reads at a glance. */
const LONG = 900;

/** A text of a stranger: always as text, and not longer than the card that it is in. */
export function StrangersText({ text }: { readonly text: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > LONG || text.split("\n").length > 14;
  return (
    <>
      <p class={isLong && !isOpen ? "post-text clamped" : "post-text"} dir="auto">
        <Plain text={text} />
      </p>
      {isLong && (
        <button type="button" class="quiet small" onClick={() => setOpen(!isOpen)}>
          {isOpen ? words.post.showLess : words.post.showAll}
        </button>
      )}
    </>
  );
}
