import { type FaultRequest, Sandbox } from "@toolpact/x-sandbox";
import { openStore, type StorePlace } from "../../src/storage/open-store.ts";
import type { Envelope } from "../live-server.ts";
import { agentAt } from "./agent.ts";
import type { Death, DoomedCall } from "./order.ts";
import { type Scenario, scenarioOn } from "./scenarios.ts";

export interface ChaosRun {
  readonly seed: number;
  /** A place that nobody has opened yet. */
  readonly place: StorePlace;
  /** Two servers share the database and get the same call at once. */
  readonly isShared: boolean;
  /** A folder for what is kept beside the database. */
  readonly home: string;
  /** Node's arguments that run tuitbot's command line. */
  readonly program: readonly string[];
}

/** What went wrong; empty when the world and the receipts tell the same story. */
export interface ChaosResult {
  readonly story: string;
  /** Servers that were killed. */
  readonly deaths: number;
  readonly complaints: readonly string[];
}

/**
 * An agent wants one thing. Its server is killed at a moment that the seed names, X's answers get lost as the seed
 * has it, the agent repeats its call until it gets an answer, and then the sandbox's world is held against the
 * receipts: what was wanted is there once, and nothing is forgotten.
 */
export async function runChaos({ seed, place, isShared, home, program }: ChaosRun): Promise<ChaosResult> {
  const random = randomFrom(seed);
  const sandbox = new Sandbox({
    seed,
    plan: "enterprise",
    size: { people: 8, posts: 10 },
    start: Date.now(),
    realTime: Date.now,
  });
  try {
    const scenario = scenarioOn(sandbox, Math.floor(random() * 1_000));
    const fault = faultFrom(random, scenario.operation);
    // The tables are there already, except now and then: making them is full of moments too.
    const hasTables = random() < 0.9;
    if (hasTables) await makeTables(place);
    const someDeath = () => deathFrom(random, hasTables ? MOMENTS : MOMENTS_WITH_TABLES);
    const agent = await agentAt({ home, place, sandbox, program });
    const { tool, args } = scenario;
    const order: DoomedCall = { tool, args, clockAheadMs: 0, death: someDeath() };
    const story = [`seed ${seed}: ${scenario.name}, dies at ${Object.values(order.death).join(" ")}`];
    if (fault !== undefined) {
      sandbox.faults.add(fault);
      story.push(`${fault.kind} ${fault.when} request ${fault.at}`);
    }
    if (isShared) story.push("two servers");

    // The first may die; its twin on the same database may not.
    const first = [agent.ask(order), ...(isShared ? [agent.ask({ ...order, death: NEVER })] : [])];
    const answers = await Promise.all(first);
    story.push(...answers.map(shown));
    let ahead = 0;
    let answer = answers.find((one) => one?.success);
    for (let tries = 0; answer === undefined && tries < MOST_TRIES; tries++) {
      ahead += LATER_MS;
      sandbox.clock.advance(LATER_MS);
      // It may die once more, early in its second life.
      const death = tries === 0 && random() < 0.3 ? someDeath() : NEVER;
      const again = { ...order, clockAheadMs: ahead };
      const repeated = await Promise.all([
        agent.ask({ ...again, death }),
        ...(isShared ? [agent.ask({ ...again, death: NEVER })] : []),
      ]);
      story.push(...repeated.map(shown));
      answer = repeated.find((one) => one?.success);
    }
    const complaints = [
      ...(answer === undefined ? ["the agent never got an answer"] : []),
      ...(await disagreements(sandbox, scenario, place)),
    ];
    const deaths = story.filter((line) => line === KILLED).length;
    return { story: story.join("; "), deaths, complaints };
  } finally {
    await sandbox.close();
  }
}

async function makeTables(place: StorePlace): Promise<void> {
  const opened = await openStore(place, { now: Date.now });
  if (!opened.ok) throw new Error(opened.failure);
  await opened.value.close();
}

/** About as many moments as a server has before it is done. */
const MOMENTS = 110;
const MOMENTS_WITH_TABLES = 170;
const MOST_TRIES = 6;
/** Long enough for every lease to end and for X to show what it has. */
const LATER_MS = 61_000;

const KILLED = "killed";

function shown(envelope: Envelope | undefined): string {
  if (envelope === undefined) return KILLED;
  const { success, error, meta } = envelope;
  if (!success) return error?.reason ?? error?.code ?? "failed";
  return meta?.replayed === true ? "replayed" : "done";
}

async function disagreements(
  sandbox: Sandbox,
  scenario: Scenario,
  place: StorePlace,
): Promise<readonly string[]> {
  const opened = await openStore(place, { now: Date.now });
  if (!opened.ok) return [opened.failure];
  const { db, close } = opened.value;
  const receipts = await db.selectFrom("receipts").selectAll().execute();
  const made = await db.selectFrom("steps").select("makes").where("makes", "is not", null).execute();
  const spent = await db.selectFrom("spend").select(["period", "micros"]).execute();
  const open = await db.selectFrom("ledger").select("id").where("settled_micros", "is", null).execute();
  await close();

  const complaints: string[] = [];
  const effects = scenario.effects();
  if (effects.some((count) => count > 1)) complaints.push(`done more than once: ${effects}`);
  if (effects.some((count) => count < 1)) complaints.push(`not done: ${effects}`);
  const confirmed = receipts.filter(({ state }) => state === "confirmed");
  if (confirmed.length !== 1) complaints.push(`${confirmed.length} receipts are confirmed`);
  for (const { state } of receipts)
    if (state === "unknown" || state === "pending") complaints.push(`a receipt is still ${state}`);
  if (made.length !== effects.length)
    complaints.push(`receipts remember ${made.length} of ${effects.length} things`);
  // Reads that a killed server did not live to settle stay at their estimate.
  const charged = Math.round(writesCharged(sandbox) * 1e6);
  const counted = Math.max(0, ...spent.map(({ micros }) => micros));
  if (counted < charged)
    complaints.push(`X charged ${charged}, the ledger counts ${counted} (${open.length} open)`);
  return complaints;
}

function writesCharged(sandbox: Sandbox): number {
  return sandbox.journal.entries
    .filter(({ method }) => method !== "GET")
    .reduce((sum, { usd }) => sum + usd, 0);
}

const NEVER: Death = { kind: "never" };

/** Half of the deaths are around the requests, where they hurt, and most of these around the first. */
function deathFrom(random: () => number, mostMoments: number): Death {
  const moment = Math.floor(random() * mostMoments);
  if (random() < 0.5) return { kind: "moment", number: 1 + moment };
  const times = ["before", "under way", "answered"] as const;
  const number = 1 + Math.floor(random() * random() * 3);
  return { kind: "request", number, when: times[Math.floor(random() * 3)] ?? "before" };
}

function faultFrom(random: () => number, operation: string): (FaultRequest & { at: number }) | undefined {
  const kinds = [undefined, undefined, "drop", "reset", "hang", "error", "html", "rate_limited"] as const;
  const kind = kinds[Math.floor(random() * kinds.length)];
  if (kind === undefined) return undefined;
  const when = random() < 0.5 ? "before" : "after";
  return { operation, kind, when, at: 1 + Math.floor(random() * 2) };
}

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
