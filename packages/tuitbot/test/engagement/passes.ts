import type { LoopEnd, LoopName } from "../../src/autopilot/pass.ts";
import { type TickWish, tick } from "../../src/autopilot/tick.ts";
import { type Desk, type DeskSetting, openDesk, ownerOf } from "./desk.ts";

export const DAY = 86_400_000;
export const never = new AbortController().signal;

export const bread = { product_keywords: ["sourdough"], industry_topics: ["crust"] };

/** A desk whose loops look for bread. */
export function openBakery(setting: DeskSetting = {}): Promise<Desk> {
  return openDesk({ ...setting, config: { business: bread, ...setting.config } });
}

export function loopSetting({ services: { db, x, workflow, config } }: Desk) {
  return { ...db, x, workflow, config: config.values, random: () => 0.9 };
}

/** One pass of these loops, or of all; how each ended. */
export function pass(desk: Desk, ...loops: LoopName[]): Promise<Record<string, LoopEnd>> {
  return passWith(desk, loops.length > 0 ? { loops } : {});
}

export async function passWith(desk: Desk, wish: Partial<TickWish>): Promise<Record<string, LoopEnd>> {
  const ticked = await tick(loopSetting(desk), { isDryRun: false, ignoresSchedule: false, ...wish }, never);
  if (!ticked.ok) throw new Error(ticked.failure.message);
  return Object.fromEntries(ticked.value.loops);
}

/** Posts published for the owner since the desk was opened. */
export function postsOf(desk: Desk) {
  const owner = ownerOf(desk);
  return [...desk.sandbox.world.posts.values()].filter(
    ({ authorId, at }) => authorId === owner && at >= desk.sandbox.clock.start,
  );
}
