import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { callTool, runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { changed, useQuery } from "../api/query.ts";
import type { FoundPost } from "../api/shapes.ts";
import { forgetUnsaved, keepUnsaved, unsavedAt, unsavedKey } from "../api/unsaved.ts";
import { score } from "../format/numbers.ts";
import { Counter } from "../parts/counter.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icons.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { postAddress } from "../parts/post-address.ts";
import { StrangersPost } from "../parts/post-card.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { may, RoleNote } from "../parts/role-note.tsx";
import { sendMessage, sendReply } from "../parts/sending.ts";
import { toast } from "../parts/toasts.tsx";
import { words } from "../text/words.ts";

/** Posts that were found, with what their scores are made of, and a reply from here. */
export function Discovery({ here }: { readonly here: SignedIn }): JSX.Element {
  const [least, setLeast] = useState(50);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const feed = useQuery(
    `feed-${least}`,
    () =>
      callTool<{ readonly tweets: readonly FoundPost[] }>("get_discovery_feed", {
        limit: 100,
        min_score: least,
      }),
    ["runner", "activity"],
  );
  async function search() {
    setBusy(true);
    const answer = await callTool("find_reply_opportunities", { min_score: least });
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (answer.ok) await feed.reload();
  }
  return (
    <Page
      title={words.views.discovery}
      lead={words.discovery.lead}
      actions={
        <>
          <label class="field inline">
            <span>{words.discovery.least(least)}</span>
            <input
              type="range"
              min="0"
              max="100"
              step="5"
              value={least}
              onChange={(event) => setLeast(Number(event.currentTarget.value))}
            />
          </label>
          <button type="button" disabled={isBusy || !may(here, "owner")} onClick={() => void search()}>
            <Icon name="discovery" size={16} />
            {words.discovery.search}
          </button>
        </>
      }
    >
      <RoleNote here={here} needs="owner" what="reply" />
      {problem !== undefined && <ProblemBox problem={problem} />}
      <Loaded query={feed} height={420}>
        {({ tweets }) =>
          tweets.length === 0 ? (
            <Empty
              icon="discovery"
              title={words.discovery.empty}
              what={words.discovery.emptyWhat}
              command="tuitbot tick --loops discovery"
            />
          ) : (
            <ul class="feed">
              {tweets.map((post) => (
                <li key={post.id}>
                  <Found post={post} here={here} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function Found({ post, here }: { readonly post: FoundPost; readonly here: SignedIn }): JSX.Element {
  const key = unsavedKey(here, "reply", post.id);
  const [isReplying, setReplying] = useState(unsavedAt(key) !== undefined && post.can_reply);
  const { score_total, matched_keyword, can_reply } = post;
  async function dismiss(isUndo = false) {
    const answer = await runCommand("mention_set", { id: post.id, state: isUndo ? "open" : "done" });
    if (!answer.ok) return toast(answer.failure.message);
    changed(["activity"]);
    toast(
      isUndo ? words.discovery.back : words.discovery.dismissed,
      isUndo ? undefined : { label: words.inbox.undo, key: "u", run: () => void dismiss(true) },
    );
  }
  return (
    <div class="found">
      <StrangersPost post={post}>
        <div class="row found-facts small">
          <span class="chip accent num">
            {score(Math.round(score_total))} <span class="soft">{words.discovery.score}</span>
          </span>
          {matched_keyword !== null && <span class="soft">{words.discovery.matches(matched_keyword)}</span>}
          <Why post={post} />
          <span class="row post-actions">
            {!isReplying && (
              <button
                type="button"
                class="small"
                disabled={!can_reply || !may(here, "owner")}
                onClick={() => setReplying(true)}
              >
                <Icon name="reply" size={16} />
                {words.discovery.reply}
              </button>
            )}
            <OpenOnX id={post.id} here={here} />
            {may(here, "approver") && (
              <button type="button" class="small quiet" onClick={() => void dismiss()}>
                <Icon name="close" size={16} />
                {words.discovery.dismiss}
              </button>
            )}
          </span>
        </div>
        {!can_reply && <p class="soft small">{words.discovery.cannotReply}</p>}
      </StrangersPost>
      {isReplying && (
        <Reply post={post} limit={here.post_limit} unsavedKey={key} onClose={() => setReplying(false)} />
      )}
    </div>
  );
}

/** A link to the post at X. A sandbox has no pages. */
export function OpenOnX({ id, here }: { readonly id: string; readonly here: SignedIn }): JSX.Element | null {
  if (here.is_sandbox) return null;
  return (
    <a class="button small quiet" href={postAddress(id)} target="_blank" rel="noreferrer">
      <Icon name="link" size={16} />
      {words.analytics.post.onX}
    </a>
  );
}

/** The parts of the score, from the stored numbers. */
function Why({ post }: { readonly post: FoundPost }): JSX.Element {
  const [parts, setParts] = useState<Readonly<Record<string, unknown>>>();
  const {
    text = "",
    author = "",
    author_followers = 0,
    likes = 0,
    reposts = 0,
    replies = 0,
    created_at,
  } = post;
  async function ask() {
    const answer = await callTool<Readonly<Record<string, unknown>>>("score_tweet", {
      text,
      author_username: author,
      author_followers,
      likes,
      retweets: reposts,
      replies,
      created_at: created_at ?? post.discovered_at,
    });
    if (answer.ok) setParts(answer.value);
  }
  return (
    <details class="small" onToggle={(event) => event.currentTarget.open && void ask()}>
      <summary>{words.discovery.why}</summary>
      <dl class="score-parts num">
        {Object.entries(words.discovery.parts).map(([name, label]) => (
          <div key={name}>
            <dt>{label}</dt>
            <dd>{typeof parts?.[name] === "number" ? score(parts[name]) : "…"}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

interface ReplyProps {
  readonly post: Pick<FoundPost, "id" | "text" | "author">;
  /** A conversation of direct messages that it goes to, instead of below the post. */
  readonly conversation?: string | undefined;
  /** The longest post of this account. */
  readonly limit: number;
  readonly unsavedKey: string;
  readonly onClose: () => void;
}

/** Writes a reply. It passes the same guards as that of an agent. */
export function Reply({ post, conversation, limit, unsavedKey: key, onClose }: ReplyProps): JSX.Element {
  const { text: begun } = Object(unsavedAt(key)) as { readonly text?: unknown };
  const [text, showText] = useState(typeof begun === "string" ? begun : "");
  const [replaced, setReplaced] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (text === "") field.current?.focus();
  }, []);
  function setText(next: string) {
    showText(next);
    if (next === "") forgetUnsaved(key);
    else keepUnsaved(key, { text: next });
  }
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  async function act<Value>(tool: string, args: object, done: (value: Value) => void) {
    setBusy(true);
    const answer = await callTool<Value>(tool, args);
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (answer.ok) done(answer.value);
  }
  async function submit() {
    setBusy(true);
    const keep = () => keepUnsaved(key, { text });
    const sent =
      conversation === undefined
        ? await sendReply(post.id, text, keep)
        : await sendMessage(conversation, text, keep);
    setBusy(false);
    setProblem(sent.ok ? undefined : sent.failure);
    if (!sent.ok) return;
    forgetUnsaved(key);
    onClose();
  }
  return (
    <form
      class="card acts-on edit fade"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label class="field">
        <span>{words.discovery.yourReply}</span>
        <textarea
          rows={3}
          dir="auto"
          value={text}
          ref={field}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {conversation === undefined && <Counter text={text} limit={limit} />}
      {problem !== undefined && <ProblemBox problem={problem} />}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy || text.trim() === ""}>
          {words.discovery.send}
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() =>
            void act<{ readonly reply: string }>(
              "generate_reply",
              { tweet_text: post.text ?? "", tweet_author: post.author ?? "" },
              ({ reply }) => {
                setReplaced(field.current?.value ?? "");
                setText(reply);
              },
            )
          }
        >
          <Icon name="spark" size={16} />
          {words.compose.write}
        </button>
        {replaced !== "" && (
          <button
            type="button"
            onClick={() => {
              setText(replaced);
              setReplaced("");
            }}
          >
            <Icon name="undo" size={16} />
            {words.inbox.undo}
          </button>
        )}
        <button
          type="button"
          class="quiet"
          onClick={() => {
            forgetUnsaved(key);
            onClose();
          }}
        >
          {words.general.cancel}
        </button>
      </div>
    </form>
  );
}
