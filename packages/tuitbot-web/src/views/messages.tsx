import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Answer, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { unsavedAt, unsavedKey } from "../api/unsaved.ts";
import { now } from "../format/clock.ts";
import { since } from "../format/dates.ts";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icons.tsx";
import { Plain } from "../parts/post-text.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { may } from "../parts/role-note.tsx";
import { words } from "../text/words.ts";
import { Reply } from "./discovery.tsx";

/** The filter of Mentions that shows direct messages. */
export const MESSAGES = "messages";

type Conversation = Answer<"messages_read">["conversations"][number];

/** The messages that were read last. X charges for reading them, so they stay until they are read again. */
const read = signal<readonly Conversation[] | undefined>(undefined);

/** Direct messages by conversation, with a reply. */
export function Messages({ here }: { readonly here: SignedIn }): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  async function check() {
    setBusy(true);
    const answer = await runCommand("messages_read");
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (answer.ok) read.value = answer.value.conversations;
  }
  const all = read.value ?? [];
  return (
    <>
      <p class="row">
        <button type="button" disabled={isBusy || !may(here, "owner")} onClick={() => void check()}>
          {words.mentions.messages.read}
        </button>
        <span class="soft small">{words.mentions.messages.cost}</span>
      </p>
      {problem !== undefined && <ProblemBox problem={problem} />}
      {all.length === 0 ? (
        <Empty
          icon="mentions"
          title={read.value === undefined ? words.mentions.messages.unread : words.mentions.messages.none}
          what={words.mentions.messages.what}
        />
      ) : (
        <ul class="feed">
          {all.map((conversation) => (
            <li key={conversation.id}>
              <OneConversation conversation={conversation} here={here} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function OneConversation({
  conversation: { id, messages, is_answered },
  here,
}: {
  readonly conversation: Conversation;
  readonly here: SignedIn;
}): JSX.Element {
  const key = unsavedKey(here, "reply", `dm-${id}`);
  const [isReplying, setReplying] = useState(unsavedAt(key) !== undefined);
  const last = messages.findLast((message) => !message.is_own);
  return (
    <>
      <article class="stranger conversation">
        <ol>
          {messages.map((message) => (
            <li key={message.id} class={message.is_own ? "own" : undefined}>
              <p class="soft small">
                <bdi>
                  <Plain text={message.author ?? words.post.unknownAuthor} />
                </bdi>
                {message.created_at !== null && ` · ${since(message.created_at, now.value)}`}
              </p>
              <p class="post-text" dir="auto">
                <Plain text={message.text} />
              </p>
            </li>
          ))}
        </ol>
        {!isReplying && (
          <p class="row">
            <button
              type="button"
              class="small"
              disabled={!may(here, "owner")}
              onClick={() => setReplying(true)}
            >
              <Icon name="reply" size={16} />
              {words.discovery.reply}
            </button>
            {is_answered && <span class="chip">{words.mentions.messages.answered}</span>}
          </p>
        )}
      </article>
      {isReplying && (
        <Reply
          post={{ id, text: last?.text ?? "", ...(last?.author != null && { author: last.author }) }}
          conversation={id}
          limit={here.post_limit}
          unsavedKey={key}
          onClose={() => setReplying(false)}
        />
      )}
    </>
  );
}
