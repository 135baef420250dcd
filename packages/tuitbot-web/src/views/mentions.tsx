import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Answer, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { changed, useQuery } from "../api/query.ts";
import { unsavedAt, unsavedKey } from "../api/unsaved.ts";
import { now } from "../format/clock.ts";
import { DAY_MS, dateTime } from "../format/dates.ts";
import { addDays, instantOf, wallTime } from "../format/zones.ts";
import { Choices } from "../parts/choices.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icons.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { StrangersPost } from "../parts/post-card.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { may, RoleNote } from "../parts/role-note.tsx";
import { useFilter } from "../parts/route.ts";
import { toast } from "../parts/toasts.tsx";
import { words } from "../text/words.ts";
import { OpenOnX, Reply } from "./discovery.tsx";
import { MESSAGES, Messages } from "./messages.tsx";

type Mention = Answer<"mentions">["mentions"][number];
type State = Mention["state"];

const STATES: readonly State[] = ["open", "snoozed", "answered", "done"];

/** Replies, mentions and quotes as an inbox: answer, put aside or mark as done. */
export function Mentions({ here }: { readonly here: SignedIn }): JSX.Element {
  const query = useQuery("mentions", () => runCommand("mentions"), ["runner", "activity"]);
  const [asked, setShown] = useFilter("show");
  const isMessages = asked === MESSAGES;
  const shown = STATES.find((state) => state === asked) ?? "open";
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  async function read() {
    setBusy(true);
    const answer = await runCommand("mentions_read");
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (!answer.ok) return;
    await query.reload();
    toast(words.mentions.read(answer.value.read));
  }
  const all = query.value?.mentions ?? [];
  return (
    <Page
      title={words.views.mentions}
      lead={words.mentions.lead}
      actions={
        <>
          <Choices<State | typeof MESSAGES>
            label={words.mentions.show}
            options={[
              ...STATES.map((state) => ({
                value: state,
                label: words.mentions.states(state, all.filter((one) => one.state === state).length),
              })),
              { value: MESSAGES, label: words.mentions.messages.title },
            ]}
            value={isMessages ? MESSAGES : shown}
            onChange={setShown}
          />
          {may(here, "owner") && !isMessages && (
            <button type="button" disabled={isBusy} onClick={() => void read()}>
              {words.mentions.check}
            </button>
          )}
        </>
      }
    >
      <RoleNote here={here} needs="owner" what="reply" />
      {problem !== undefined && <ProblemBox problem={problem} />}
      {isMessages && <Messages here={here} />}
      {!isMessages && (
        <Loaded query={query} height={420}>
          {({ mentions, people }) => {
            const some = mentions.filter(({ state }) => state === shown);
            return some.length === 0 ? (
              <Empty
                icon="mentions"
                title={mentions.length === 0 ? words.mentions.none : words.mentions.empty[shown]}
                what={words.mentions.emptyWhat}
              />
            ) : (
              <ul class="feed">
                {some.map((mention) => (
                  <li key={mention.id}>
                    <Row mention={mention} people={people} here={here} />
                  </li>
                ))}
              </ul>
            );
          }}
        </Loaded>
      )}
    </Page>
  );
}

interface RowProps {
  readonly mention: Mention;
  /** The people who can be assigned to it. */
  readonly people: readonly string[];
  readonly here: SignedIn;
}

function Row({ mention, people, here }: RowProps): JSX.Element {
  const key = unsavedKey(here, "reply", mention.id);
  const [isReplying, setReplying] = useState(unsavedAt(key) !== undefined && mention.can_reply);
  const [problem, setProblem] = useState<Problem>();
  const { id, state, can_reply, snoozed_until } = mention;
  async function set(next: "open" | "done" | "snoozed", until?: string, isUndo = false): Promise<void> {
    const answer = await runCommand("mention_set", {
      id,
      state: next,
      ...(until !== undefined && { until }),
    });
    setProblem(answer.ok ? undefined : answer.failure);
    if (!answer.ok) return;
    changed(["activity"]);
    const back = () => void set(state === "answered" ? "open" : state, snoozed_until ?? undefined, true);
    toast(
      until === undefined ? words.mentions.set[next] : words.mentions.snoozed(dateTime(until)),
      isUndo ? undefined : { label: words.inbox.undo, key: "u", run: back },
    );
  }
  async function assign(assigned_to: string | null, isUndo = false): Promise<void> {
    const before = mention.assigned_to;
    const answer = await runCommand("mention_set", { id, assigned_to });
    setProblem(answer.ok ? undefined : answer.failure);
    if (!answer.ok) return;
    changed(["activity"]);
    const undo = { label: words.inbox.undo, key: "u", run: () => void assign(before, true) };
    toast(words.mentions.assigned(assigned_to), isUndo ? undefined : undo);
  }
  return (
    <>
      <StrangersPost post={mention} about={mention.about}>
        {snoozed_until !== null && <p class="soft small">{words.mentions.until(dateTime(snoozed_until))}</p>}
        {!isReplying && (
          <p class="row post-actions">
            <button
              type="button"
              class="small"
              disabled={!can_reply || !may(here, "owner")}
              onClick={() => setReplying(true)}
            >
              <Icon name="reply" size={16} />
              {words.discovery.reply}
            </button>
            {may(here, "approver") && state === "open" && (
              <>
                <button
                  type="button"
                  class="small quiet"
                  title={words.mentions.snoozeUntil}
                  onClick={() => void set("snoozed", tomorrow(here.timezone))}
                >
                  <Icon name="clock" size={16} />
                  {words.mentions.snooze}
                </button>
                <button type="button" class="small quiet" onClick={() => void set("done")}>
                  <Icon name="check" size={16} />
                  {words.mentions.finish}
                </button>
              </>
            )}
            {may(here, "approver") && (people.length > 1 || mention.assigned_to !== null) && (
              <label class="field inline small">
                <span>{words.mentions.assign}</span>
                <select
                  value={mention.assigned_to ?? ""}
                  onChange={({ currentTarget: { value } }) => void assign(value === "" ? null : value)}
                >
                  <option value="">{words.mentions.nobody}</option>
                  {[
                    ...new Set([...people, ...(mention.assigned_to === null ? [] : [mention.assigned_to])]),
                  ].map((name) => (
                    <option key={name} value={name}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
            )}
            <OpenOnX id={id} here={here} />
            {may(here, "approver") && (state === "snoozed" || state === "done") && (
              <button type="button" class="small quiet" onClick={() => void set("open")}>
                {words.mentions.reopen}
              </button>
            )}
          </p>
        )}
        {problem !== undefined && <ProblemBox problem={problem} />}
      </StrangersPost>
      {isReplying && (
        <Reply post={mention} limit={here.post_limit} unsavedKey={key} onClose={() => setReplying(false)} />
      )}
    </>
  );
}

const MORNING = 9;

/** Nine o'clock on the next day of the schedule's zone. */
function tomorrow(zone: string): string {
  const today = wallTime(now.peek(), zone);
  const at = instantOf({ ...addDays(today, 1), hour: MORNING, minute: 0 }, zone);
  return new Date(Math.min(at, now.peek() + 2 * DAY_MS)).toISOString();
}
