import { type JsonObject, ok, systemClock } from "@toolpact/contract";
import { DAY_MS, type EnvelopeError, HOUR_MS } from "@toolpact/contract/internal";
import { cast, type Sandbox } from "@toolpact/x-sandbox";
import type { Services } from "../../app/services.ts";
import { findItem } from "../../approval/queue.ts";
import { releaseItem } from "../../approval/release.ts";
import { tick } from "../../autopilot/tick.ts";
import { effectiveConfig } from "../../config/effective-config.ts";
import { configSchema } from "../../config/schema.ts";
import type { ErrorCode } from "../../errors.ts";
import { catalogFor } from "../../server/catalog.ts";
import { createCore } from "../../server/core.ts";
import { standIn } from "../../writing/stand-in.ts";
import { sandboxWorld } from "../../x/sandbox-account.ts";
import { sandboxProfile } from "../sandbox-profile.ts";

/** A server on a new sandbox, and the demo's controls for the sandbox. */
export interface DemoServer {
  readonly call: (tool: string, args: JsonObject) => Promise<Answer>;
  /** Approves an item as a person would. */
  readonly approve: (item: number) => ReturnType<typeof releaseItem>;
  /** Makes X refuse the next search with a rate limit. */
  readonly limitSearches: () => void;
  /** Makes X refuse the third post from now on. */
  readonly failThirdPost: () => void;
  /** Adds views and likes, moves the clock by a day and measures the posts. Returns how many were measured. */
  readonly advanceDay: () => Promise<number>;
  readonly postsOfMine: () => number;
  readonly spentUsd: () => number;
  readonly close: () => Promise<void>;
}

/** The envelope, as the demo reads it. */
export interface Answer {
  readonly success: boolean;
  readonly data: JsonObject | null;
  readonly error?: EnvelopeError<ErrorCode>;
  readonly meta?: JsonObject;
}

export async function openDemoServer(signal: AbortSignal): Promise<DemoServer> {
  const { sandbox, account } = sandboxWorld("enterprise");
  const values = configSchema.parse(sandboxProfile());
  const place = { env: {}, home: "/", cwd: "/" };
  const profile = "write";
  const clock = { now: () => sandbox.clock.now(), after: systemClock.after };
  const core = createCore({
    profile,
    catalog: catalogFor(profile),
    config: effectiveConfig({ values, file: undefined, fromEnvironment: [] }, place),
    account: { ...account, clock },
    llm: async () => ok(standIn()),
    clock,
  });
  const resolved = await core.services.resolve(NEEDS, {}, signal);
  if (!resolved.ok) throw new Error(resolved.failure.message);
  // Exactly the services that were named.
  const { db, x, workflow, approvals } = resolved.value as Pick<Services, (typeof NEEDS)[number]>;
  return {
    async call(tool, args) {
      const answer = await core.pipeline.call({ tool, args, caller: { transport: "cli" }, signal });
      if (answer.kind !== "rendered") throw new Error(`${tool} did not answer.`);
      // Every answer of this product has this shape.
      return answer.envelope as unknown as Answer;
    },
    async approve(id) {
      const item = await findItem(db.store.db, db.account, id);
      if (!item.ok) return item;
      return releaseItem(approvals, id, { digest: item.value.digest, by: "person via demo" });
    },
    limitSearches: () => void sandbox.faults.add({ operation: "searchPostsRecent", kind: "rate_limited" }),
    failThirdPost: () => void sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 3 }),
    async advanceDay() {
      sandbox.clock.advance(DAY_MS + HOUR_MS);
      const setting = { ...db, x, workflow, config: values, random: Math.random };
      const options = { loops: ["analytics"], isDryRun: false, ignoresSchedule: true } as const;
      const passed = await tick(setting, options, signal);
      const end = passed.ok ? passed.value.loops.get("analytics") : undefined;
      return end?.status === "completed" ? (end.counts.measured ?? 0) : 0;
    },
    postsOfMine: () => postsOfMine(sandbox).length,
    spentUsd: () => sandbox.journal.entries.reduce((sum, { usd }) => sum + usd, 0),
    close: core.close,
  };
}

const NEEDS = ["db", "x", "workflow", "approvals"] as const;

function postsOfMine(sandbox: Sandbox) {
  const { id } = sandbox.person(cast.owner);
  return [...sandbox.world.posts.values()].filter(({ authorId }) => authorId === id);
}
