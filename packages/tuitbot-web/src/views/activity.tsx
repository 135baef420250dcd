import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { callTool, runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { changed, useQuery } from "../api/query.ts";
import type { LearnedRule, LoggedCall, MutationDetail, PolicyStatus, Undoable } from "../api/shapes.ts";
import { now } from "../format/clock.ts";
import { clockTime, dateTime, day, since } from "../format/dates.ts";
import { count, price } from "../format/numbers.ts";
import { isoDay, wallTime } from "../format/zones.ts";
import { saveCsv } from "../parts/csv.ts";
import { Dialog, DialogEnd } from "../parts/dialog.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icons.tsx";
import { useKeys } from "../parts/keys.ts";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Plain } from "../parts/post-text.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { may, RoleNote } from "../parts/role-note.tsx";
import { addressOf, go, route, useFilter } from "../parts/route.ts";
import { toast } from "../parts/toasts.tsx";
import { toolName } from "../parts/tool-name.ts";
import { UndoQuestion } from "../parts/undo-question.tsx";
import { WindowedList } from "../parts/windowed-list.tsx";
import { words } from "../text/words.ts";
import { Examples } from "./learned-rules.tsx";
import { sentenceOf } from "./policy.tsx";

const MOST = 500;
const ROW = 64;
const STATUSES = [
  "success",
  "routed",
  "rejected",
  "expired",
  "scheduled",
  "failure",
  "pending",
  "duplicate",
  "asked",
] as const;

/** Every change that was tried: who, what, which rule, what X answered; undo where there is one. */
export function Activity({ here }: { readonly here: SignedIn }): JSX.Element {
  const [asked, setStatus] = useFilter("status");
  const status = STATUSES.find((name) => name === asked) ?? "";
  const [client, setClient] = useFilter("client");
  const [rule, setRule] = useFilter("rule");
  const learned = useQuery("rules", () => runCommand("rules"), ["activity", "approvals"]);
  /** All clients seen so far: the choice stays while one of them is chosen. */
  const [clients, setClients] = useState<readonly string[]>([]);
  const { thing: opened, filters } = route.value;
  const setOpened = (id?: string) => go(addressOf("activity", id, filters));
  const [undoing, setUndoing] = useState<Undoable>();
  const log = useQuery(
    `log-${status}-${client}-${rule}`,
    () =>
      runCommand("log", {
        limit: MOST,
        ...(status !== "" && { status }),
        ...(client !== "" && { client }),
        ...(rule !== "" && { rule }),
      }),
    ["activity", "approvals"],
  );
  const undo = useQuery("undoable", () => runCommand("undo"), ["activity"]);
  const undoable = new Map(undo.value?.undoable.map((one) => [one.id, one]));
  const entries = log.value?.entries ?? [];
  useEffect(() => {
    const seen = entries.flatMap(({ client }) => (client === null ? [] : [client]));
    setClients((before) => [...new Set([...before, ...seen])].sort());
  }, [log.value]);
  const [at, setAt] = useState(-1);
  const rows = byDay(entries, here.timezone);
  const move = (step: number) => {
    let next = at + step;
    while (rows[next]?.entry === undefined && next >= 0 && next < rows.length) next += step;
    if (rows[next]?.entry !== undefined) setAt(next);
  };
  const current = rows[at]?.entry;
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: current === undefined ? undefined : () => setOpened(current.correlation_id),
  });
  return (
    <Page
      title={words.views.activity}
      lead={words.activity.lead}
      actions={
        <>
          <label class="field inline">
            <span>{words.activity.by}</span>
            <select value={client} onChange={(event) => setClient(event.currentTarget.value)}>
              <option value="">{words.activity.everybody}</option>
              {clients.map((name) => (
                <option key={name} value={name}>
                  {clientName(name)}
                </option>
              ))}
            </select>
          </label>
          <label class="field inline">
            <span>{words.activity.show}</span>
            <select value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
              <option value="">{words.activity.all}</option>
              {STATUSES.map((name) => (
                <option key={name} value={name}>
                  {words.activity.statuses[name] ?? name}
                </option>
              ))}
            </select>
          </label>
          {(rule !== "" || (learned.value?.rules.length ?? 0) > 0) && (
            <label class="field inline">
              <span>{words.activity.facts.rule}</span>
              <select value={rule} onChange={(event) => setRule(event.currentTarget.value)}>
                <option value="">{words.activity.all}</option>
                {learned.value?.rules.map(({ id }) => (
                  <option key={id} value={`learned:${id}`}>
                    {words.activity.learnedRule(id)}
                  </option>
                ))}
              </select>
            </label>
          )}
          <button type="button" disabled={entries.length === 0} onClick={() => exportCsv(entries)}>
            {words.general.csv}
          </button>
        </>
      }
    >
      <RoleNote here={here} needs="owner" what="undo" />
      <Loaded query={log} height={420}>
        {() =>
          entries.length === 0 ? (
            <Empty icon="activity" title={words.activity.empty} what={words.activity.emptyWhat} />
          ) : (
            <section class="panel flush">
              <WindowedList
                items={rows}
                rowHeight={ROW}
                keyOf={({ entry, date }) => entry?.correlation_id ?? date}
                label={words.views.activity}
                current={at}
                row={({ entry, date }, index) =>
                  entry === undefined ? (
                    <h2 class="entry-day">{dayTitle(date, here.timezone)}</h2>
                  ) : (
                    <Entry
                      entry={entry}
                      zone={here.timezone}
                      isOn={index === at}
                      undoable={undoable.get(entry.correlation_id)}
                      mayUndo={may(here, "owner")}
                      onOpen={() => {
                        setAt(index);
                        setOpened(entry.correlation_id);
                      }}
                      onUndo={setUndoing}
                    />
                  )
                }
              />
            </section>
          )
        }
      </Loaded>
      {opened !== undefined && (
        <Detail
          id={opened}
          draftTexts={entries.find((one) => one.correlation_id === opened)?.draft_texts ?? null}
          here={here}
          onClose={() => setOpened()}
        />
      )}
      {undoing !== undefined && (
        <UndoQuestion
          undoable={undoing}
          onClose={(isDone) => {
            setUndoing(undefined);
            if (isDone) changed();
          }}
        />
      )}
    </Page>
  );
}

function exportCsv(entries: readonly LoggedCall[]): void {
  const { facts } = words.activity;
  saveCsv(
    "tuitbot-activity",
    [facts.when, facts.who, facts.what, facts.text, facts.status, facts.rule, facts.price],
    entries.map((entry) => [
      entry.created_at,
      whoOf(entry),
      toolName(entry.tool_name),
      summaryOf(entry),
      words.activity.statuses[entry.status] ?? entry.status,
      entry.rule_id,
      entry.cost_usd,
    ]),
  );
}

interface Row {
  readonly date: string;
  /** Undefined for the heading of a day. */
  readonly entry: LoggedCall | undefined;
}

/** The entries with a heading in front of each day, by the time zone of the schedule. */
function byDay(entries: readonly LoggedCall[], zone: string): readonly Row[] {
  return entries.flatMap((entry, index): Row[] => {
    const date = isoDay(wallTime(Date.parse(entry.created_at), zone));
    const before = entries[index - 1];
    const isFirst = before === undefined || isoDay(wallTime(Date.parse(before.created_at), zone)) !== date;
    return [...(isFirst ? [{ date, entry: undefined }] : []), { date, entry }];
  });
}

function dayTitle(date: string, zone: string): string {
  return date === isoDay(wallTime(now.value, zone)) ? words.general.today : day(date, "long");
}

interface EntryProps {
  readonly entry: LoggedCall;
  readonly zone: string;
  readonly isOn: boolean;
  readonly undoable: Undoable | undefined;
  readonly mayUndo: boolean;
  readonly onOpen: () => void;
  readonly onUndo: (undoable: Undoable) => void;
}

function Entry({ entry, zone, isOn, undoable, mayUndo, onOpen, onUndo }: EntryProps): JSX.Element {
  return (
    <div class={isOn ? "entry on" : "entry"}>
      <button type="button" class="entry-main" onClick={onOpen}>
        <StatusChip status={entry.status} isMistake={entry.error_code === "invalid_input"} />
        <span class="entry-text">
          <span class="item-head">
            <b>{toolName(entry.tool_name)}</b>
            <span class="soft small who">
              <Plain text={whoOf(entry)} />
            </span>
          </span>
          <span class="entry-said">
            <Plain text={summaryOf(entry)} />
          </span>
        </span>
        <span class="entry-facts num soft small">
          <time dateTime={entry.created_at} title={since(entry.created_at, now.value)}>
            {clockTime(Date.parse(entry.created_at), zone)}
          </time>
          {entry.cost_usd !== null && entry.cost_usd > 0 && <span>{price(entry.cost_usd)}</span>}
        </span>
      </button>
      {undoable !== undefined && mayUndo && (
        <button
          type="button"
          class="small quiet"
          aria-label={words.inbox.undo}
          onClick={() => onUndo(undoable)}
        >
          <Icon name="undo" size={16} />
          <span class="undo-label">{words.inbox.undo}</span>
        </button>
      )}
    </div>
  );
}

/** Who made the call, as far as it was said, and who approved it. */
function whoOf({ client, transport, decided_by: person, learned_rule: rule }: LoggedCall): string {
  const who =
    client === null
      ? (words.activity.transports[transport ?? ""] ?? words.general.unknown)
      : clientName(client);
  if (rule !== null) return words.activity.decidedBy(who, words.activity.learnedRule(rule.id));
  if (person === null) return who;
  // Such as `person via web, "Ann"`.
  const [, name = person] = /"(.+)"$/.exec(person) ?? [];
  return words.activity.decidedBy(who, name);
}

/** The name of a client or of a part of tuitbot, as the log stores it. */
function clientName(client: string): string {
  const [, loop] = /^loop:(.+)$/.exec(client) ?? [];
  return loop === undefined
    ? (words.activity.clients[client] ?? client)
    : words.spend.loop(words.autopilot.loopNames[loop] ?? loop);
}

interface StatusProps {
  readonly status: string;
  /** Whether an agent gave wrong arguments, which is no failure that an owner acts on. */
  readonly isMistake?: boolean;
}

function StatusChip({ status, isMistake = false }: StatusProps): JSX.Element {
  return (
    <span class={`chip ${isMistake ? "" : (TONES[status] ?? "")}`}>
      {words.activity.statuses[status] ?? status}
    </span>
  );
}

const TONES: Readonly<Record<string, string>> = {
  success: "ok",
  scheduled: "ok",
  routed: "warn",
  pending: "warn",
  asked: "warn",
  rejected: "bad",
  failure: "bad",
};

/** Why it failed, and what it said or acted on. */
function summaryOf(entry: LoggedCall): string {
  const said = saidIn(entry);
  return entry.error_message === null ? said : [entry.error_message, said].join(" · ");
}

/** Ids and keys are in the details. */
const IS_ID = /(?:^|_)(?:ids?|key)$/;

/** The text or target of the call. */
function saidIn({
  params,
  draft_texts: drafted = null,
}: Pick<LoggedCall, "params"> & Partial<Pick<LoggedCall, "draft_texts">>): string {
  const {
    text,
    texts,
    variants,
    tweets = texts ?? variants,
    ...others
  } = Object(params) as Readonly<Record<string, unknown>>;
  if (typeof text === "string") return text.slice(0, 300);
  if (Array.isArray(tweets)) return tweets.join(" / ").slice(0, 300);
  if (drafted !== null) return drafted.join(" / ").slice(0, 300);
  if (typeof others.id === "number" && Object.keys(others).length === 1)
    return words.activity.draft(others.id);
  return Object.entries(others)
    .filter(([name]) => !IS_ID.test(name))
    .map(
      ([name, value]) =>
        textsIn(value) ?? `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`,
    )
    .join(", ")
    .slice(0, 300);
}

/** The texts of a list of proposals; undefined for anything else. */
function textsIn(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.flatMap((one) => {
    const { text = Object(one).pre_drafted_text } = Object(one) as Readonly<Record<string, unknown>>;
    return typeof text === "string" ? [text] : [];
  });
  return texts.length === 0 ? undefined : texts.join(" / ");
}

/** Everything about one change. */
function Detail({
  id,
  draftTexts,
  here,
  onClose,
}: {
  readonly id: string;
  readonly draftTexts: LoggedCall["draft_texts"];
  readonly here: SignedIn;
  readonly onClose: () => void;
}): JSX.Element {
  const query = useQuery(
    `mutation-${id}`,
    () => callTool<MutationDetail>("get_mutation_detail", { correlation_id: id }),
    ["activity"],
  );
  const policy = useQuery("policy", () => callTool<PolicyStatus>("get_policy_status"));
  const learned = useQuery("rules", () => runCommand("rules"), ["activity", "approvals"]);
  return (
    <Dialog title={words.activity.detail} onClose={onClose}>
      <Loaded query={query} height={260}>
        {(found) => (
          <>
            <p class="row">
              <StatusChip status={found.status} />
              <b>{toolName(found.tool_name)}</b>
            </p>
            <blockquote class="quoted">
              <Plain text={saidIn({ ...found, draft_texts: draftTexts })} />
            </blockquote>
            <dl class="details">
              {factsOf(found, policy.value).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <Plain text={value} />
                  </dd>
                </div>
              ))}
            </dl>
            <RuleOrigin rule={learned.value?.rules.find(({ id }) => `learned:${id}` === found.rule_id)} />
            {postOf(found) !== undefined && (
              <p>
                <a class="button small" href={addressOf("analytics", postOf(found))}>
                  <Icon name="analytics" size={16} />
                  {words.activity.toPost}
                </a>
              </p>
            )}
            {found.receipt?.state === "unknown" && (
              <Doubt id={id} here={here} onSettled={() => void query.reload()} />
            )}
            <details>
              <summary>{words.activity.raw}</summary>
              <pre class="raw">
                <Plain
                  text={JSON.stringify(
                    { params: found.params, result: found.result, receipt: found.receipt },
                    null,
                    2,
                  )}
                />
              </pre>
            </details>
          </>
        )}
      </Loaded>
      <DialogEnd onClose={onClose} />
    </Dialog>
  );
}

/** The rule that decided in place of a person: who accepted it, when, and after which decisions. */
function RuleOrigin({ rule }: { readonly rule: LearnedRule | undefined }): JSX.Element | null {
  if (rule === undefined) return null;
  return (
    <section class="rule-origin">
      <p>
        <b>{words.activity.learnedRule(rule.id)}</b>{" "}
        <Plain text={words.policy.learned.origin(dateTime(rule.accepted_at), rule.accepted_by)} />
      </p>
      <Examples title={words.policy.learned.evidence(rule.evidence.length)} examples={rule.evidence} />
    </section>
  );
}

const POSTING: readonly string[] = ["x_post_tweet", "x_reply_to_tweet", "x_quote_tweet", "x_post_thread"];

/** The id of the post that was published, the first of a thread; undefined for other changes. */
function postOf({ status, tool_name: tool, result }: MutationDetail): string | undefined {
  if (status !== "success" || !POSTING.includes(tool)) return undefined;
  return /"(?:id|tweet_id)":"(\d+)"/.exec(JSON.stringify(result))?.[1];
}

/** X did not answer, and reading back did not tell: only a person who looks at X can. */
function Doubt({
  id,
  here,
  onSettled,
}: {
  readonly id: string;
  readonly here: SignedIn;
  readonly onSettled: () => void;
}): JSX.Element {
  const isOff = !may(here, "approver");
  const texts = words.activity.doubt;
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  async function settle(isOut: boolean): Promise<void> {
    setBusy(true);
    const answer = await runCommand("settle_call", { id, is_out: isOut });
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (!answer.ok) return;
    toast(isOut ? texts.isOut : texts.isNot);
    changed();
    onSettled();
  }
  return (
    <section class="doubt" aria-label={texts.title}>
      <p class="verdict warn">
        <Icon name="warning" size={16} />
        {texts.what}
      </p>
      <RoleNote here={here} needs="approver" what="settle" />
      {problem !== undefined && <ProblemBox problem={problem} />}
      <div class="row">
        <button type="button" disabled={isBusy || isOff} onClick={() => void settle(true)}>
          {texts.out}
        </button>
        <button type="button" disabled={isBusy || isOff} onClick={() => void settle(false)}>
          {texts.not}
        </button>
      </div>
    </section>
  );
}

/** The rule by its reason; its id is next to it, for the configuration. */
function ruleText(id: string | null, policy: PolicyStatus | undefined): string | null {
  const rule = policy?.rules.find((one) => one.id === id);
  return rule === undefined ? id : `${sentenceOf({ ...rule, tools: [], categories: [] })} (${id})`;
}

function factsOf(
  found: MutationDetail,
  policy: PolicyStatus | undefined,
): readonly (readonly [string, string])[] {
  const { facts } = words.activity;
  // The policy lets through what a person has approved.
  const decision = found.decision === "allow" && found.approval_id !== null ? "approved" : found.decision;
  const receipt = typeof found.receipt?.state === "string" ? found.receipt.state : null;
  const all: readonly (readonly [string, string | null])[] = [
    [facts.when, dateTime(found.created_at)],
    [facts.who, [found.client, found.transport].filter((one) => one !== null).join(", ") || null],
    [facts.decision, words.activity.decisions[decision] ?? decision],
    [facts.rule, ruleText(found.rule_id, policy)],
    [facts.receipt, receipt ?? found.receipt_id],
    [facts.error, [found.error_code, found.error_message].filter((one) => one !== null).join(": ") || null],
    [facts.took, found.elapsed_ms === null ? null : `${count(found.elapsed_ms)} ms`],
    [facts.id, found.correlation_id],
  ];
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}
