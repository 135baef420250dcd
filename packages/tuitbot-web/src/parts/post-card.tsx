import type { ComponentChildren, JSX } from "preact";
import { session } from "../api/client.ts";
import type { ShownPost } from "../api/shapes.ts";
import { now } from "../format/clock.ts";
import { since } from "../format/dates.ts";
import { count, short } from "../format/numbers.ts";
import { words } from "../text/words.ts";
import { Icon, type IconName } from "./icons.tsx";
import { Portrait } from "./portrait.tsx";
import { Plain, StrangersText } from "./post-text.tsx";
import { addressOf } from "./route.ts";

interface AvatarProps {
  readonly name: string;
  /** Whether it is the account's own, which has a colour that nobody else has. */
  readonly isOwn?: boolean;
}

/** A drawn face in the sandbox; elsewhere the first letter of the name on its colour. No picture is fetched from X. */
export function Avatar({ name, isOwn = false }: AvatarProps): JSX.Element {
  const letters = name.replace(/^@/, "");
  const here = session.value;
  if (here?.signed_in && here.is_sandbox)
    return (
      <span class="avatar drawn">
        <Portrait name={letters} />
      </span>
    );
  const tone = [...letters].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 4;
  const [first = "?"] = [...letters].filter((letter) => /[\p{L}\p{N}]/u.test(letter));
  return (
    <span class="avatar" data-tone={isOwn ? 0 : tone + 1} aria-hidden="true">
      {first}
    </span>
  );
}

interface StrangerProps {
  readonly post: ShownPost;
  /** Its relation to our posts, such as "is answered". */
  readonly note?: string | undefined;
  /** The post of the account that it answers or quotes. */
  readonly about?: { readonly id: string; readonly text: string } | null;
  readonly children?: ComponentChildren;
}

/** A post that somebody else wrote. */
export function StrangersPost({ post, note, about = null, children }: StrangerProps): JSX.Element {
  const author = post.author ?? words.post.unknownAuthor;
  const name = typeof post.author_name === "string" ? post.author_name : undefined;
  return (
    <article class="stranger post" aria-label={words.post.by(author)}>
      <Avatar name={author} />
      <div>
        <header>
          <b>
            <bdi>
              <Plain text={name ?? author} />
            </bdi>
          </b>
          {name !== undefined && (
            <bdi>
              <Plain text={author} />
            </bdi>
          )}
          {post.author_followers !== undefined && (
            <span>· {words.post.followers(post.author_followers)}</span>
          )}
          {post.created_at !== undefined && (
            <span>
              · <time dateTime={post.created_at}>{since(post.created_at, now.value)}</time>
            </span>
          )}
          {note !== undefined && <span>· {note}</span>}
        </header>
        {about !== null && (
          <a class="about" href={addressOf("analytics", about.id)}>
            <b>{words.post.about}</b> <Plain text={about.text} />
          </a>
        )}
        <StrangersText text={post.text ?? words.post.noText} />
        <Figures post={post} />
        {children}
      </div>
    </article>
  );
}

const FIGURES: readonly (readonly [keyof ShownPost & keyof typeof words.post.figures, IconName])[] = [
  ["replies", "reply"],
  ["reposts", "repost"],
  ["likes", "heart"],
  ["views", "views"],
];

function Figures({ post }: { readonly post: ShownPost }): JSX.Element | null {
  const known = FIGURES.flatMap(([name, icon]) => {
    const value = post[name];
    return typeof value === "number" && value > 0 ? [{ name, icon, value }] : [];
  });
  if (known.length === 0) return null;
  return (
    <p class="post-figures">
      {known.map(({ name, icon, value }) => (
        <span key={name} title={`${count(value)} ${words.post.figures[name]}`}>
          <Icon name={icon} size={15} />
          {short(value)}
          <span class="visually-hidden">{words.post.figures[name]}</span>
        </span>
      ))}
    </p>
  );
}

interface OwnPostProps {
  readonly handle: string;
  /** The display name, if it is known. */
  readonly name?: string | null | undefined;
  /** Which post of a thread it is, or what it is. */
  readonly note?: string | undefined;
  readonly children: ComponentChildren;
}

/** A post of the account, not out yet. */
export function OwnPost({ handle, name, note, children }: OwnPostProps): JSX.Element {
  return (
    <div class="post">
      <Avatar name={handle} isOwn />
      <div>
        <header>
          <b>
            <bdi>
              <Plain text={name ?? handle} />
            </bdi>
          </b>
          {name != null && <span>{handle}</span>}
          {note !== undefined && <span>· {note}</span>}
        </header>
        {children}
      </div>
    </div>
  );
}
