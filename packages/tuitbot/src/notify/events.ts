import { DAY_MS } from "@toolpact/contract/internal";
import type { BudgetCaps } from "@toolpact/contract/internal/guards";
import { formatUsd, type Micros, microsOf } from "@toolpact/contract/internal/money";
import { formatDuration } from "@toolpact/contract/internal/text";
import { learnedRules, type RuleSession } from "../approval/learned-rules.ts";
import { runnerStatus } from "../drafts/runner.ts";
import { dayOf, hourOf } from "../storage/days.ts";
import type { Session } from "../storage/store.ts";
import type { NoticeEvent } from "./outbox.ts";
import type { NoticeKind } from "./person.ts";

/** From the database, whichever process caused them. */
export async function eventsNow(
  session: RuleSession,
  caps: Pick<BudgetCaps, "perDay" | "perMonth">,
  now: number,
  isWanted: (kind: NoticeKind) => boolean,
): Promise<readonly NoticeEvent[]> {
  return [
    ...(isWanted("approval_waiting") ? await newItems(session, now) : []),
    ...(isWanted("cap_reached") ? await capsReached(session, caps, now) : []),
    ...(isWanted("sign_in_lost") ? await refusedSignIns(session, now) : []),
    ...(isWanted("nothing_ran") ? await idleRunner(session, now) : []),
    ...(isWanted("learned_rule") ? await ruleEvents(session, now) : []),
  ];
}

/** With this content, unannounced so far. */
async function newItems({ store, account }: Session, now: number): Promise<readonly NoticeEvent[]> {
  const rows = await store.db
    .selectFrom("approvals")
    .select(["id", "digest", "tool"])
    .where("account", "=", account)
    .where("status", "=", "pending")
    .where("expires_at", ">", now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("notices")
            .select("notices.id")
            .where("notices.account", "=", account)
            .whereRef("notices.approval_id", "=", "approvals.id")
            .whereRef("notices.digest", "=", "approvals.digest"),
        ),
      ),
    )
    .orderBy("id")
    .limit(MAX_AT_ONCE)
    .execute();
  return rows.map(({ id, digest, tool }) => ({
    kind: "approval_waiting",
    key: `approval:${id}:${digest.slice(0, 32)}`,
    title: `Item ${id} needs your approval: ${tool}`,
    // Read when sent, because secrets are not stored twice.
    text: "",
    item: { id, digest },
  }));
}

const MAX_AT_ONCE = 100;

async function capsReached(
  { store, account }: Session,
  { perDay, perMonth }: Pick<BudgetCaps, "perDay" | "perMonth">,
  now: number,
): Promise<readonly NoticeEvent[]> {
  const day = dayOf(now);
  const periods = [
    { period: day, cap: perDay, name: "day" },
    { period: day.slice(0, 7), cap: perMonth, name: "month" },
  ];
  const rows = await store.db
    .selectFrom("spend")
    .select(["period", "micros"])
    .where("account", "=", account)
    .where(
      "period",
      "in",
      periods.map(({ period }) => period),
    )
    .execute();
  return periods.flatMap(({ period, cap, name }) => {
    const spent = Number(rows.find((row) => row.period === period)?.micros ?? 0);
    const share = cap === undefined ? undefined : shareReached(spent, cap);
    if (cap === undefined || share === undefined) return [];
    const money = `${formatUsd(spent)} of ${formatUsd(cap)}`;
    return [
      {
        kind: "cap_reached",
        key: `cap:${period}:${share}`,
        title: share === 100 ? `The cap per ${name} is reached` : `80 % of the cap per ${name} is spent`,
        text: `${money} is spent, by UTC.${share === 100 ? ` No further post is paid for before the next ${name}.` : ""} The setting is budget.max_usd_per_${name}.`,
      },
    ];
  });
}

/** Calls above the cap are refused, so spending stays below it. */
const POST_MICROS: Micros = microsOf(0.015);

function shareReached(spent: Micros, cap: Micros): 80 | 100 | undefined {
  if (spent > 0 && spent + POST_MICROS > cap) return 100;
  return spent >= cap * 0.8 && spent > 0 ? 80 : undefined;
}

/** This hour's, reported once a day. */
async function refusedSignIns({ store, account }: Session, now: number): Promise<readonly NoticeEvent[]> {
  const row = await store.db
    .selectFrom("telemetry")
    .select("tool")
    .where("account", "=", account)
    .where("hour", "=", hourOf(now))
    .where("code", "=", "x_auth_expired")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? [] : [signInLost(now)];
}

export function signInLost(now: number): NoticeEvent {
  return {
    kind: "sign_in_lost",
    key: `sign_in:${dayOf(now)}`,
    title: "X no longer accepts the sign-in",
    text: "Nothing is read or sent until somebody signs in again with `tuitbot auth login`.",
  };
}

export function breakerOpen(until: number): NoticeEvent {
  return {
    kind: "breaker_open",
    key: `breaker:${until}`,
    title: "X refuses too often: the autopilot pauses",
    text: `Nothing is published before ${new Date(until).toISOString()}. \`tuitbot log\` shows what X said.`,
  };
}

/** They ran before, but not for a day. */
async function idleRunner(session: Session, now: number): Promise<readonly NoticeEvent[]> {
  const { lastWorkedAt } = await runnerStatus(session, now);
  if (lastWorkedAt === undefined || now - lastWorkedAt < DAY_MS) return [];
  return [
    {
      kind: "nothing_ran",
      key: `idle:${lastWorkedAt}`,
      title: "The autopilot has not run for a day",
      text: `The last pass was ${formatDuration(now - lastWorkedAt)} ago, at ${new Date(lastWorkedAt).toISOString()}. Scheduled posts wait. Start \`tuitbot run\`.`,
    },
  ];
}

/** Recently suspended, or due for review. */
async function ruleEvents(session: RuleSession, now: number): Promise<readonly NoticeEvent[]> {
  const rules = await learnedRules(session, now);
  return rules.flatMap(({ id, suspendedBecause, endedAt, expiresAt, reviewAt }): NoticeEvent[] => {
    if (suspendedBecause !== undefined && now - (endedAt ?? 0) < RECENT_MS)
      return [
        {
          kind: "learned_rule",
          key: `rule:${id}:suspended`,
          title: `Rule ${id} is suspended`,
          text: `${suspendedBecause} You are asked about such calls again.`,
        },
      ];
    if (endedAt !== undefined || now < reviewAt || now >= expiresAt) return [];
    return [
      {
        kind: "learned_rule",
        key: `rule:${id}:review`,
        title: `Rule ${id} is due for review`,
        text: `See what it let through with tuitbot log --rule ${id}. It expires at ${new Date(expiresAt).toISOString()}.`,
      },
    ];
  });
}

const RECENT_MS = 7 * DAY_MS;
