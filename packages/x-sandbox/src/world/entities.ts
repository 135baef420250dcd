import { parsePost } from "@toolpact/x-api/text";
import type { Post } from "./post.ts";
import type { World } from "./world.ts";

/** Positions count code points, as at X. */
export interface Entities {
  readonly mentions: readonly (Place & { readonly username: string; readonly id: string | undefined })[];
  readonly hashtags: readonly (Place & { readonly tag: string })[];
  readonly cashtags: readonly (Place & { readonly tag: string })[];
  readonly urls: readonly Link[];
}

export interface Place {
  readonly start: number;
  readonly end: number;
}

export interface Link extends Place {
  /** As in the text. */
  readonly url: string;
  readonly target: string;
}

export interface TextDraft {
  readonly text: string;
  readonly quoteOf?: Post | undefined;
  readonly mediaIds?: readonly string[] | undefined;
  /** In front of a reply. */
  readonly addressed?: readonly string[] | undefined;
}

/** As X stores it: with the usernames a reply answers, and `t.co` links. */
export function linkedText(world: World, id: string, draft: TextDraft): { text: string; entities: Entities } {
  const greeting = (draft.addressed ?? []).map((username) => `@${username} `).join("");
  const raw = parsePost(greeting + draft.text);
  const targets = raw.urls.map(({ url }) => url);
  let text = "";
  let from = 0;
  for (const [i, { start, end }] of raw.urls.entries()) {
    text += raw.text.slice(from, start) + shortLink(id, i);
    from = end;
  }
  text += raw.text.slice(from);
  for (const target of appendedLinks(world, id, draft)) {
    text = `${text} ${shortLink(id, targets.length)}`.trimStart();
    targets.push(target);
  }
  return { text, entities: entitiesOf(world, text, targets) };
}

export function entitiesOf(world: World, text: string, targets: readonly string[] = []): Entities {
  const parsed = parsePost(text);
  const place = placesIn(parsed.text);
  return {
    mentions: parsed.mentions.map(({ start, end, handle }) => {
      const person = world.personNamed(handle);
      return { ...place(start, end), username: person?.username ?? handle, id: person?.id };
    }),
    hashtags: parsed.hashtags.map(({ start, end, tag }) => ({ ...place(start, end), tag })),
    cashtags: parsed.cashtags.map(({ start, end, symbol }) => ({ ...place(start, end), tag: symbol })),
    urls: parsed.urls.map(({ start, end, url }, i) => ({
      ...place(start, end),
      url,
      target: withScheme(targets[i] ?? url),
    })),
  };
}

function appendedLinks(world: World, id: string, draft: TextDraft): string[] {
  const links: string[] = [];
  if (draft.quoteOf !== undefined) {
    const author = world.people.get(draft.quoteOf.authorId)?.username ?? "i";
    links.push(`https://x.com/${author}/status/${draft.quoteOf.id}`);
  }
  if (draft.mediaIds !== undefined && draft.mediaIds.length > 0)
    links.push(`https://x.com/i/status/${id}/photo/1`);
  return links;
}

function shortLink(id: string, index: number): string {
  return `https://t.co/${(BigInt(id) * 31n + BigInt(index)).toString(36).slice(-10).padStart(10, "0")}`;
}

function withScheme(url: string): string {
  return /^https?:\/\//i.test(url) ? url : `http://${url}`;
}

/** From UTF-16 offsets; most texts need no conversion. */
function placesIn(text: string): (start: number, end: number) => Place {
  if (!/[\ud800-\udfff]/.test(text)) return (start, end) => ({ start, end });
  const codePoints = (index: number): number => [...text.slice(0, index)].length;
  return (start, end) => ({ start: codePoints(start), end: codePoints(end) });
}

/** X does not count them. */
export function withoutLeadingMentions(text: string, addressed: readonly string[]): string {
  let rest = text;
  for (;;) {
    const [greeting, name = ""] = /^@(\w{1,15})\s+/.exec(rest) ?? [];
    if (
      greeting === undefined ||
      !addressed.some((username) => username.toLowerCase() === name.toLowerCase())
    )
      return rest;
    rest = rest.slice(greeting.length);
  }
}
