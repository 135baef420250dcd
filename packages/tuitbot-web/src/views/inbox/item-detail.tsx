import type { JSX } from "preact";
import type { PendingItem, SignedIn } from "tuitbot/src/web/api.ts";
import { now } from "../../format/clock.ts";
import { dateTime, when } from "../../format/dates.ts";
import { price } from "../../format/numbers.ts";
import { Counter } from "../../parts/counter.tsx";
import { Icon } from "../../parts/icons.tsx";
import { OwnPost, StrangersPost } from "../../parts/post-card.tsx";
import { PostMarks } from "../../parts/post-marks.tsx";
import { OwnText, Plain } from "../../parts/post-text.tsx";
import { may, RoleNote } from "../../parts/role-note.tsx";
import { reasonText } from "../../parts/rule-reason.ts";
import { words } from "../../text/words.ts";
import { idArguments, optionsOf, otherArguments, textsOf, titleOf, undoOf } from "./item-content.ts";
import { Files, SeriesPosts } from "./item-schedule.tsx";

interface Props {
  readonly item: PendingItem;
  readonly handle: string;
  /** The display name of the account, if it is known. */
  readonly name?: string | null;
  /** Replaces the texts while they are edited. */
  readonly editor: JSX.Element | undefined;
}

/** All that a person needs to decide, in one glance. */
export function ItemDetail({ item, handle, name, editor }: Props): JSX.Element {
  const texts = textsOf(item);
  const others = otherArguments(item);
  const series = item.schedule?.series;
  return (
    <>
      <header class="item-title">
        <h2>{titleOf(item)}</h2>
        {item.asked_by?.client != null && (
          <span class="soft">
            <Plain text={words.inbox.by(item.asked_by.client)} />
          </span>
        )}
      </header>
      <p class="why">
        {isUnusual(item) && (
          <span class="reason">
            <Icon name="warning" size={16} />
            <Plain text={reasonText(item.reason)} />
          </span>
        )}
        {item.people_needed > 1 && (
          <span class="chip warn">
            <Plain text={words.inbox.people(item.approved_by, item.people_needed)} />
          </span>
        )}
        {item.agent_note !== null && (
          <span class="agent-note">
            <b>{words.inbox.agentNote}</b> <Plain text={item.agent_note} />
          </span>
        )}
      </p>
      <div class="exchange">
        <Context item={item} />
        {editor}
        {editor === undefined && series !== undefined && <SeriesPosts series={series} />}
        {editor === undefined && series === undefined && texts.length > 0 && (
          <div class="card acts-on">
            {texts.map((text, index) => (
              <div class="proposal" key={index}>
                <OwnPost
                  handle={handle}
                  name={name}
                  note={texts.length > 1 ? words.post.part(index + 1, texts.length) : undefined}
                >
                  <p class="post-text" dir="auto">
                    <OwnText text={text} />
                  </p>
                  <Files files={item.files.filter(({ post }) => post === index + 1)} />
                  {index === 0 && <PostMarks options={optionsOf(item)} />}
                  <p class="post-figures">
                    <Counter text={text} limit={item.posts[index]?.limit ?? 280} />
                    {index === 0 && item.files.length === 0 && item.media.length > 0 && (
                      <span>{words.inbox.media(item.media.length)}</span>
                    )}
                  </p>
                </OwnPost>
              </div>
            ))}
          </div>
        )}
        {editor === undefined && others.length > 0 && <Arguments others={others} />}
      </div>
      <Facts item={item} />
    </>
  );
}

function Context({ item }: Pick<Props, "item">): JSX.Element | null {
  const { context } = item;
  if (context === null) return null;
  const { thread, post, role, unknown } = context;
  return (
    <>
      {thread.map((above) => (
        <>
          <StrangersPost key={above.id} post={above} note={words.inbox.above} />
          <div class="string" />
        </>
      ))}
      {post !== null && (
        <>
          <StrangersPost post={post} note={role === null ? undefined : words.inbox.notes[role]} />
          <div class="string" />
        </>
      )}
      {unknown.length > 0 && (
        <p class="unread">
          <Icon name="warning" size={16} />
          <span>
            {words.inbox.unread} <Plain text={unknown.join(" ")} />
          </span>
        </p>
      )}
    </>
  );
}

/** True for reasons other than a setting or mode that requires approval for every post. */
function isUnusual({ rule_id }: PendingItem): boolean {
  return !rule_id.startsWith("v1:approval:") && rule_id !== "hard:composer_approval";
}

/** Names and ids for those who look into a problem, closed by default. */
function Details({ item }: Pick<Props, "item">): JSX.Element {
  const rows: readonly (readonly [string, string])[] = [
    [words.inbox.details.item, String(item.id)],
    [words.inbox.details.tool, item.tool],
    [words.inbox.details.rule, item.rule_id],
    [words.inbox.details.reason, reasonText(item.reason)],
    ...item.files.map(({ file_path, media_id }) => [words.inbox.file, file_path ?? media_id ?? ""] as const),
    ...idArguments(item),
  ];
  return (
    <details class="item-details small">
      <summary>{words.inbox.details.title}</summary>
      <dl>
        {rows.map(([name, value], index) => (
          <div key={index}>
            <dt>{name}</dt>
            <dd class="mono">
              <Plain text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Arguments({ others }: { readonly others: readonly (readonly [string, string])[] }): JSX.Element {
  return (
    <dl class="card arguments" aria-label={words.inbox.arguments}>
      {others.map(([name, value]) => (
        <div key={name}>
          <dt class="mono soft">{name}</dt>
          <dd class="mono">
            <Plain text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Facts({ item }: Pick<Props, "item">): JSX.Element {
  const { facts } = words.inbox;
  const { schedule } = item;
  return (
    <dl class="facts">
      <div>
        <dt>{facts.cost}</dt>
        <dd>{price(item.estimated_usd)}</dd>
      </div>
      <div>
        <dt>{facts.goesOut}</dt>
        <dd>
          {schedule === undefined || Date.parse(schedule.at) < now.value
            ? facts.atOnce
            : schedule.series === undefined
              ? dateTime(schedule.at)
              : facts.firstOf(dateTime(schedule.at), schedule.series.posts.length)}
        </dd>
      </div>
      <div>
        <dt>{facts.expires}</dt>
        <dd>
          <time dateTime={item.expires_at} title={dateTime(item.expires_at)}>
            {when(item.expires_at, now.value)}
          </time>
        </dd>
      </div>
      <div>
        <dt>{facts.undo}</dt>
        <dd>{undoOf(item.tool)}</dd>
      </div>
    </dl>
  );
}

interface ActionProps {
  readonly item: PendingItem;
  readonly here: SignedIn;
  readonly isBusy: boolean;
  readonly onApprove: () => void;
  readonly onSimilar: (period: "day" | "week") => void;
  readonly onSlot: () => void;
  readonly onEdit: () => void;
  readonly onReject: () => void;
  readonly onSettle: (isOut: boolean) => void;
}

export function ItemActions(props: ActionProps): JSX.Element {
  const { item, here, isBusy } = props;
  const isOff = isBusy || !may(here, "approver");
  if (item.status === "releasing")
    return (
      <div class="actions">
        <p class="hint">{words.inbox.doubt}</p>
        <RoleNote here={here} needs="approver" what="decide" />
        <button type="button" disabled={isOff} onClick={() => props.onSettle(true)}>
          {words.inbox.isOut}
        </button>
        <button type="button" disabled={isOff} onClick={() => props.onSettle(false)}>
          {words.inbox.isNotOut}
        </button>
      </div>
    );
  return (
    <>
      <RoleNote here={here} needs="approver" what="decide" />
      <div class="actions">
        <p class="facts-line num" aria-hidden="true">
          {words.inbox.factsLine(
            price(item.estimated_usd),
            when(item.expires_at, now.value),
            undoOf(item.tool),
          )}
        </p>
        <button type="button" class="primary" disabled={isOff} onClick={props.onApprove}>
          {item.schedule === undefined
            ? words.inbox.approve
            : item.schedule.series === undefined
              ? words.inbox.approveScheduled
              : words.inbox.approveSeries(item.schedule.series.posts.length)}
          <kbd>A</kbd>
        </button>
        {canWait(item) && (
          <button type="button" disabled={isOff} onClick={props.onSlot}>
            {words.inbox.slot}
            <kbd>S</kbd>
          </button>
        )}
        <button type="button" disabled={isOff} onClick={props.onEdit}>
          {words.inbox.edit}
          <kbd>E</kbd>
        </button>
        <button type="button" disabled={isOff} onClick={props.onReject}>
          {words.inbox.reject}
          <kbd>R</kbd>
        </button>
      </div>
      <p class="hint">{words.inbox.bound}</p>
      {item.similar !== null && (
        <details class="item-details similar small">
          <summary>{words.inbox.similar}</summary>
          <p class="hint">{words.inbox.similarWhat}</p>
          <div class="row">
            {(["day", "week"] as const).map((period) => (
              <button
                key={period}
                type="button"
                class="small"
                disabled={isOff}
                onClick={() => props.onSimilar(period)}
              >
                {words.inbox.similarFor[period]}
              </button>
            ))}
          </div>
        </details>
      )}
      <Details item={item} />
    </>
  );
}

/** The account's own posts and threads can be published later; a waiting reply becomes stale. */
export function canWait({ tool, schedule, media, files }: PendingItem): boolean {
  return (
    schedule === undefined &&
    media.length + files.length === 0 &&
    (tool === "x_post_tweet" || tool === "x_post_thread")
  );
}
