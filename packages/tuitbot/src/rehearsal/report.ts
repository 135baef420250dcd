import { HOUR_MS, parseJson } from "@toolpact/contract/internal";
import { usdOf } from "@toolpact/contract/internal/money";
import type { Selectable } from "kysely";
import type { Services } from "../app/services.ts";
import { allLoops } from "../autopilot/all-loops.ts";
import type { LoopEnd, LoopName } from "../autopilot/pass.ts";
import { scheduleKey } from "../drafts/publish-draft.ts";
import { spentBy } from "../guards/budget/ledger.ts";
import { IDEMPOTENCY_KEY, OWN_KEY } from "../guards/receipts/receipt.ts";
import { unsettledCount } from "../guards/receipts/receipt-queries.ts";
import { dayOf } from "../storage/days.ts";
import type { AuditRow } from "../storage/tables/audit-tables.ts";
import type { LedgerRow } from "../storage/tables/spend-tables.ts";
import { type Writer, writerName } from "../writing/llm.ts";
import { listIn, objectIn, textIn } from "../x/shapes/x-object.ts";
import type { Rehearsal, RehearsedEntry, RehearsedLoop } from "./rehearsal.ts";

export interface Rehearsed {
  readonly from: number;
  readonly to: number;
  readonly loops: readonly { readonly name: LoopName; readonly end: LoopEnd }[];
  /** If one is configured. */
  readonly writer: Writer | undefined;
  readonly again: { readonly days: number; readonly posts: number };
  readonly isStopped: boolean;
  readonly endedEarly: string | undefined;
}

type Copy = Pick<Services, "db" | "workflow" | "config">;

/** By day, with reasons. */
export async function reportOf(copy: Copy, rehearsed: Rehearsed): Promise<Rehearsal> {
  const { db, workflow, config } = copy;
  const { from, to, endedEarly } = rehearsed;
  const { timezone } = config.values.schedule;
  const dateOf = localDates(timezone);
  const ledger = await db.store.db
    .selectFrom("ledger")
    .selectAll()
    .where("account", "=", db.account)
    .execute();
  const entries = [...(await callsIn(copy, ledger, dateOf)), ...(await neverCalled(copy, rehearsed, dateOf))]
    .toSorted((a, b) => a.at.localeCompare(b.at))
    .map((entry) => ({ ...entry }));
  const calls = new Set(entries.map(({ call }) => call));
  const dates = [...new Set(quarters(from, to).map(dateOf))];
  const days = dates.map((date) => {
    const paid = ledger.filter(({ at }) => dateOf(at) === date);
    return {
      date,
      ...counted(entries.filter((entry) => entry.date === date)),
      cost_usd: usd(paid),
      reads_usd: usd(paid.filter(({ call_id }) => !calls.has(call_id))),
    };
  });
  const spent = await spentBy(db.store.db, db.account, to - 1);
  const { perDay, perMonth } = workflow.caps;
  return {
    account: { id: db.account, username: db.names?.username ?? null },
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    timezone,
    mode: config.values.mode,
    approval_mode: config.approvalMode,
    days,
    totals: { ...counted(entries), cost_usd: usd(ledger) },
    entries: entries.map(({ call: _, ...entry }) => entry),
    loops: allLoops.map(({ name }) => loopOf(name, rehearsed, ledger)),
    operations: operationsIn(ledger),
    caps: {
      day_usd: perDay === undefined ? null : usdOf(perDay),
      month_usd: perMonth === undefined ? null : usdOf(perMonth),
      dearest_day_usd: await dearestDay(copy, rehearsed),
      month_end_usd: usdOf(spent.month),
    },
    left_out: leftOut(rehearsed, config.values.mode),
    assumptions: await assumptions(copy, rehearsed),
    ended_early: endedEarly ?? null,
  };
}

type Entry = RehearsedEntry & { readonly call: string };
type Paid = Selectable<LedgerRow>;

/** At X. */
async function callsIn(
  { db: { store, account } }: Copy,
  ledger: readonly Paid[],
  dateOf: (at: number) => string,
): Promise<readonly Entry[]> {
  const rows = await store.db
    .selectFrom("audit")
    .selectAll()
    .where("account", "=", account)
    .where("decision", "!=", "local")
    .where("status", "in", ["success", "routed", "failure", "pending"])
    .orderBy("at")
    .execute();
  const entries: Entry[] = [];
  for (const row of rows) {
    const args = objectIn(parseJson(row.args_json));
    entries.push({
      call: row.correlation_id,
      at: new Date(row.at).toISOString(),
      date: dateOf(row.at),
      loop: loopIn(row.client),
      tool: row.tool,
      outcome: OUTCOMES[row.status] ?? "refused",
      texts: textsIn(args),
      answers: await answeredBy(store.db, account, textIn(args, "in_reply_to_id")),
      reason: await reasonOf(store.db, account, row),
      rule_id: row.rule_id,
      cost_usd: usd(ledger.filter(({ call_id }) => call_id === row.correlation_id)),
    });
  }
  return entries;
}

const OUTCOMES: Readonly<Record<string, RehearsedEntry["outcome"]>> = {
  success: "goes_out",
  routed: "waits",
  failure: "refused",
};

type Db = Copy["db"]["store"]["db"];

async function reasonOf(
  db: Db,
  account: string,
  { message, approval_id }: Selectable<AuditRow>,
): Promise<string | null> {
  if (message !== null || approval_id === null) return message;
  const item = await db
    .selectFrom("approvals")
    .select("reason")
    .where("account", "=", account)
    .where("id", "=", approval_id)
    .executeTakeFirst();
  return item?.reason ?? null;
}

async function answeredBy(
  db: Db,
  account: string,
  id: string | undefined,
): Promise<RehearsedEntry["answers"]> {
  if (id === undefined) return null;
  const post = await db
    .selectFrom("discovered_posts")
    .select(["author_username", "text"])
    .where("account", "=", account)
    .where("id", "=", id)
    .executeTakeFirst();
  return post === undefined ? null : { author: post.author_username, text: post.text };
}

function textsIn(args: ReturnType<typeof objectIn>): readonly string[] {
  const text = textIn(args, "text");
  return text === undefined ? listIn(args, "tweets").map(String) : [text];
}

/** `loop:content` is `content`. */
function loopIn(client: string | null): string {
  return client?.replace(/^loop:/, "") ?? "unknown";
}

/** Not approved, or with a problem. */
async function neverCalled(
  { db: { store, account } }: Copy,
  { from, to }: Rehearsed,
  dateOf: (at: number) => string,
): Promise<readonly Entry[]> {
  const rows = await store.db
    .selectFrom("scheduled_posts")
    .leftJoin("approvals", "approvals.id", "scheduled_posts.approval_id")
    .select(["scheduled_posts.id", "due_at", "texts_json", "scheduled_posts.error_json", "tries"])
    .select(["approvals.status as approval", "rule_id"])
    .where("scheduled_posts.account", "=", account)
    .where("due_at", ">=", from)
    .where("due_at", "<", to)
    .where("scheduled_posts.status", "in", ["scheduled", "failed", "cancelled"])
    .where("scheduled_posts.created_at", "<", from)
    .execute();
  const calls = await store.db
    .selectFrom("audit")
    .select("args_json")
    .where("account", "=", account)
    .execute();
  const called = new Set(
    calls.map(({ args_json }) => textIn(objectIn(parseJson(args_json)), IDEMPOTENCY_KEY)),
  );
  return rows
    .map((row) => ({ ...row, call: `${OWN_KEY}${scheduleKey(row.id)}` }))
    .filter(
      ({ call, approval, error_json }) => !called.has(call) && (approval !== null || error_json !== null),
    )
    .map(({ call, due_at, texts_json, approval, error_json, rule_id }): Entry => {
      const texts = listIn({ texts: parseJson(texts_json) }, "texts").map(String);
      const waits = approval === "pending" || approval === "expired";
      return {
        call,
        at: new Date(due_at).toISOString(),
        date: dateOf(due_at),
        loop: "scheduled",
        tool: texts.length > 1 ? "x_post_thread" : "x_post_tweet",
        outcome: waits ? "waits" : "refused",
        texts,
        answers: null,
        reason: waits
          ? "It is scheduled, and nobody has approved it yet. A day after its time it is given up."
          : (textIn(objectIn(parseJson(error_json ?? "")), "message") ?? null),
        rule_id,
        cost_usd: 0,
      };
    });
}

function loopOf(name: LoopName, { loops }: Rehearsed, ledger: readonly Paid[]): RehearsedLoop {
  const ends = loops.filter((one) => one.name === name).map(({ end }) => end);
  const counts: Record<string, number> = {};
  const held = new Map<string, number>();
  const hold = (reason: string) => held.set(reason, (held.get(reason) ?? 0) + 1);
  let runs = 0;
  for (const end of ends) {
    if (end.status === "failed") hold(end.failure.message);
    if (
      end.status === "skipped" &&
      !isIdle(end.reason) &&
      !ORDINARY.some((one) => end.reason.startsWith(one))
    )
      hold(end.reason);
    if (end.status !== "completed") continue;
    runs += 1;
    // Reported once, with what is left out.
    for (const code of end.codes) if (code !== "llm_not_configured") hold(code);
    // Follower counts do not add up.
    for (const [what, count] of Object.entries(end.counts))
      counts[what] = what === "followers" ? count : (counts[what] ?? 0) + count;
  }
  return {
    name,
    runs,
    counts,
    cost_usd: usd(ledger.filter(({ tool }) => tool === `loop:${name}`)),
    held_back: [...held].map(([reason, times]) => ({ reason, times })).sort((a, b) => b.times - a.times),
  };
}

/** In most passes. */
const ORDINARY: readonly string[] = [
  "not due yet",
  "nothing is due",
  "outside the active hours",
  "it is not a time of",
  "threads wait for",
  "composer mode",
  "no language model",
  "switched off",
];

/** Such as without keywords. */
function isIdle(reason: string): boolean {
  return reason.endsWith(" is empty");
}

function operationsIn(ledger: readonly Paid[]): Rehearsal["operations"] {
  const names = [...new Set(ledger.map(({ operation }) => operation))];
  return names
    .map((operation) => {
      const paid = ledger.filter((row) => row.operation === operation);
      return { operation, requests: paid.length, cost_usd: usd(paid) };
    })
    .sort((a, b) => b.cost_usd - a.cost_usd);
}

async function dearestDay({ db }: Copy, { from, to }: Rehearsed): Promise<number> {
  const rows = await db.store.db
    .selectFrom("spend")
    .select("micros")
    .where("account", "=", db.account)
    .where("period", ">=", dayOf(from))
    .where("period", "<=", dayOf(to))
    .execute();
  return usdOf(Math.max(0, ...rows.map(({ micros }) => micros)));
}

function leftOut({ writer, loops }: Rehearsed, mode: "autopilot" | "composer"): Rehearsal["left_out"] {
  const idle = new Map(
    loops.flatMap(({ name, end }): [string, string][] =>
      end.status === "skipped" && isIdle(end.reason) ? [[name, `${end.reason}.`]] : [],
    ),
  );
  const writes = (loop: string): string | undefined => {
    const does = allLoops.find(({ name }) => name === loop)?.reads
      ? "It reads, and answers nothing: "
      : "It writes nothing: ";
    if (mode === "composer") return `${does}mode is composer.`;
    return writer === undefined ? `${does}no language model is set up (llm.provider).` : undefined;
  };
  const isOff = new Map(
    loops.flatMap(({ name, end }): [string, string][] =>
      end.status === "skipped" && end.reason.startsWith("switched off")
        ? [[name, `It is ${end.reason}.`]]
        : [],
    ),
  );
  return allLoops.flatMap(({ name: loop, writes: needsWriter }) => {
    const reason = isOff.get(loop) ?? idle.get(loop) ?? (needsWriter ? writes(loop) : undefined);
    return reason === undefined ? [] : [{ loop, reason }];
  });
}

async function assumptions(
  { db }: Copy,
  { writer, again, isStopped }: Rehearsed,
): Promise<readonly string[]> {
  const unknown = await unsettledCount(db.store.db, db.account);
  return [
    again.posts === 0
      ? "No posts of others are stored, so nobody posts anything that could be found or answered."
      : `Others post as they did in the last ${again.days === 1 ? "day" : `${again.days} days`}: the ${again.posts === 1 ? "post that was found comes" : `${again.posts} posts that were found come`} again, at the same hours.`,
    "Nobody approves, edits or schedules anything meanwhile.",
    ...(writer === undefined
      ? []
      : [
          `Texts are examples from a table: ${writerName(writer)} was not asked, and what it charges is not counted.`,
        ]),
    ...(isStopped ? ["Everything is stopped now. This is what would happen once you resume."] : []),
    ...(unknown > 0
      ? [`X has not said what became of ${unknown} earlier requests; here they count as not carried out.`]
      : []),
  ];
}

function counted(entries: readonly RehearsedEntry[]) {
  const of = (outcome: RehearsedEntry["outcome"]) =>
    entries.filter((entry) => entry.outcome === outcome).length;
  return { goes_out: of("goes_out"), waits: of("waits"), refused: of("refused") };
}

function usd(paid: readonly Pick<Paid, "settled_micros" | "estimated_micros">[]): number {
  return usdOf(
    paid.reduce((sum, { settled_micros, estimated_micros }) => sum + (settled_micros ?? estimated_micros), 0),
  );
}

/** Every six hours, and the end. */
function quarters(from: number, to: number): readonly number[] {
  const times: number[] = [];
  for (let at = from; at < to; at += QUARTER_MS) times.push(at);
  return [...times, to - 1];
}

const QUARTER_MS = 6 * HOUR_MS;

/** Such as `2026-09-30`. */
function localDates(timezone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: timezone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return (at) => format.format(at);
}
