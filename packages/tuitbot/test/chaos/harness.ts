import { Sandbox } from "@toolpact/x-sandbox";
import { openStore, type StorePlace } from "../../src/storage/open-store.ts";
import type { Envelope } from "../live-server.ts";
import { agentAt } from "./agent.ts";
import type { Death, DoomedCall } from "./order.ts";
import { type Scenario, scenarioOn } from "./scenarios.ts";
import { oneOf, randomFrom, type Weather, weathersFor } from "./weather.ts";

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
  readonly weathers: readonly Weather[];
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
export async function runChaos(run: ChaosRun): Promise<ChaosResult> {
  const { seed, place, isShared, home, program } = run;
  const random = randomFrom(seed, "run");
  const sandbox = new Sandbox({
    seed,
    plan: "enterprise",
    size: { people: 8, posts: 10 },
    start: Date.now(),
    realTime: Date.now,
  });
  try {
    const scenario = scenarioOn(sandbox, Math.floor(random() * 1_000));
    // The tables are there already, except now and then: making them is full of moments too.
    const hasTables = random() < 0.9;
    if (hasTables) await makeTables(place);
    const someDeath = () => deathFrom(random, hasTables ? MOMENTS : MOMENTS_WITH_TABLES);
    const engine = place.url === undefined ? "sqlite" : "postgres";
    const weathers = await weathersFor(seed, engine, run.weathers, {
      sandbox,
      scenario,
      place,
      home,
      isShared,
    });
    const env = Object.assign({}, ...weathers.map((weather) => weather.env));
    const agent = await agentAt({ home, place, sandbox, program, env });
    const story = [`seed ${seed}: ${scenario.name}`, ...weathers.map((weather) => weather.story)];
    if (isShared) story.push("two servers");

    /** The first server may die; its twin on the same database may not. */
    async function attempt(number: number, death: Death): Promise<Envelope | undefined> {
      const { tool, args } = scenario;
      const doom = Object.assign({}, ...weathers.map((weather) => weather.doomFor?.(number)));
      const call: DoomedCall = { tool, args, clockAheadMs: number * LATER_MS, ...doom, death };
      if (death.kind !== "never") story.push(`dies at ${Object.values(death).join(" ")}`);
      const asked = [agent.ask(call), ...(isShared ? [agent.ask({ ...call, death: NEVER })] : [])];
      const [answers] = await Promise.all([
        Promise.all(asked),
        ...weathers.map((weather) => weather.duringAttempt?.(number)),
      ]);
      for (const weather of weathers) await weather.afterAttempt?.(number);
      story.push(...answers.map(shown));
      return answers.find((one) => one?.success);
    }

    let answer = await attempt(0, someDeath());
    for (let tries = 1; answer === undefined && tries <= MOST_TRIES; tries++) {
      sandbox.clock.advance(LATER_MS);
      // It may die once more, early in its second life.
      answer = await attempt(tries, tries === 1 && random() < 0.3 ? someDeath() : NEVER);
    }
    for (const weather of weathers) await weather.end?.();
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
  if (!opened.ok) throw opened.failure;
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
  if (!opened.ok) return [opened.failure.message];
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
  const number = 1 + Math.floor(random() * random() * 3);
  return { kind: "request", number, when: oneOf(random, ["before", "under way", "answered"]) };
}
