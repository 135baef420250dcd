import type { JsonObject } from "@toolpact/contract";
import { isOperationId, operations } from "@toolpact/x-api/operations";
import { Sandbox } from "@toolpact/x-sandbox";
import { openStore, type StorePlace } from "../../src/storage/open-store.ts";
import type { Envelope } from "../live-server.ts";
import { agentAt } from "./agent.ts";
import { type Death, type DoomedCall, fastTime } from "./order.ts";
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
  /** Names of the weathers it had. */
  readonly weathers: readonly string[];
  /** A call whose outcome only a person can find out, and which was reported so. */
  readonly hasDoubt: boolean;
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
  const fastSince = Date.now();
  const sandbox = new Sandbox({
    seed,
    plan: "enterprise",
    size: { people: 8, posts: 10 },
    start: fastSince,
    realTime: () => fastTime(fastSince, Date.now()),
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
    const isSignInDue = weathers.some((weather) => weather.isSignInDue === true);
    const agent = await agentAt({ home, place, sandbox, program, env, isSignInDue });
    const story = [`seed ${seed}: ${scenario.name}`, ...weathers.map((weather) => weather.story)];
    if (isShared) story.push("two servers");

    const { tool, args, alike } = scenario;
    const wanted = new Set(alike === undefined ? [args] : [args, alike]);
    const all = wanted.size;
    const complaints: string[] = [];
    let laterMs = 0;
    let hasDoubt = false;

    /** The first server may die; its twin on the same database may not, and its clock is right. */
    async function attempt(number: number, death: Death): Promise<void> {
      const doom = Object.assign({}, ...weathers.map((weather) => weather.doomFor?.(number)));
      const done = all - wanted.size;
      const calls = [...wanted].map(
        (args): DoomedCall => ({ tool, args, clockAheadMs: laterMs, fastSince, ...doom, death }),
      );
      if (death.kind !== "never") story.push(`dies at ${Object.values(death).join(" ")}`);
      const ask = async (twin: Partial<DoomedCall>): Promise<readonly (Envelope | undefined)[]> => {
        const answers: (Envelope | undefined)[] = [];
        for (const call of calls) {
          const answer = await agent.ask({ ...call, ...twin });
          answers.push(answer);
          hasDoubt ||= answer?.error?.reason === "outcome_unknown";
          const result = resultIn(answer);
          if (result === undefined) continue;
          wanted.delete(call.args);
          complaints.push(...wrongReport(scenario, call.args, result));
          const reported = calls.length + done - wanted.size;
          const there = scenario.effects().reduce((sum, count) => sum + count, 0);
          if (there < reported) complaints.push(`${reported} reported as done, X holds ${there}`);
        }
        return answers;
      };
      const asked = [ask({}), ...(isShared ? [ask({ death: NEVER, clockSkewMs: 0 })] : [])];
      const [answers] = await Promise.all([
        Promise.all(asked),
        ...weathers.map((weather) => weather.duringAttempt?.(number)),
      ]);
      for (const weather of weathers) await weather.afterAttempt?.(number);
      story.push(...answers.flat().map(shown));
    }

    await attempt(0, someDeath());
    for (let tries = 1; wanted.size > 0 && tries <= MOST_TRIES; tries++) {
      // Soon at first, while X may still be at it; then when everything can be known.
      const isSoon = tries === 1 || (tries === 2 && random() < 0.3);
      const waitMs = isSoon ? oneOf(random, SOON_MS) : LATER_MS;
      laterMs += waitMs;
      sandbox.clock.advance(waitMs);
      // It may die once more, early in its second life.
      await attempt(tries, tries === 1 && random() < 0.3 ? someDeath() : NEVER);
    }
    // What several tries left open is settled by the next server that sends something.
    if (scenario.takesAway === true) {
      wanted.add(args);
      for (let tries = 1; wanted.size > 0 && tries <= MOST_TRIES; tries++) {
        laterMs += LATER_MS;
        sandbox.clock.advance(LATER_MS);
        await attempt(MOST_TRIES + tries, NEVER);
      }
    }
    for (const weather of weathers) {
      await weather.end?.();
      if (weather.outcome !== undefined) story.push(weather.outcome());
    }
    // The power may fail between an answer and the disk. Then the next server finds out what became of the call.
    for (let tries = 1; tries <= MOST_TRIES && (await openReceipts(place)) > wanted.size; tries++) {
      laterMs += LATER_MS;
      sandbox.clock.advance(LATER_MS);
      for (const again of [args, ...(alike === undefined ? [] : [alike])]) {
        const answer = await agent.askCalmly({
          tool,
          args: again,
          clockAheadMs: laterMs,
          fastSince,
          death: NEVER,
        });
        story.push(`asked again: ${shown(answer)}`);
        const result = resultIn(answer);
        if (result !== undefined) complaints.push(...wrongReport(scenario, again, result));
      }
    }
    sandbox.clock.advance(LATER_MS);
    await sandbox.catchUp();
    if (wanted.size > 0 && !hasDoubt) complaints.push("the agent never got an answer");
    complaints.push(...(await disagreements(sandbox, scenario, place, wanted.size)));
    const deaths = story.filter((line) => line === KILLED).length;
    const names = weathers.map(({ name = "" }) => name);
    return {
      story: story.join("; "),
      deaths,
      complaints,
      weathers: names,
      hasDoubt: hasDoubt && wanted.size > 0,
    };
  } finally {
    await sandbox.close();
  }
}

async function makeTables(place: StorePlace): Promise<void> {
  const opened = await openStore(place, { now: Date.now });
  if (!opened.ok) throw opened.failure;
  await opened.value.close();
}

async function openReceipts(place: StorePlace): Promise<number> {
  const opened = await openStore(place, { now: Date.now });
  if (!opened.ok) throw opened.failure;
  const { db, close } = opened.value;
  const open = await db
    .selectFrom("receipts")
    .select("id")
    .where("state", "in", ["pending", "unknown"])
    .execute();
  await close();
  return open.length;
}

/** About as many moments as a server has before it is done. */
const MOMENTS = 110;
const MOMENTS_WITH_TABLES = 170;
/** On a busy machine X seems slow, and a try may come to nothing more than once. */
const MOST_TRIES = 12;
/** While X may still carry out what it was asked. */
const SOON_MS = [7_000, 31_000, 41_000, 61_000, 100_000] as const;
/** Long enough for every lease to end and for X to carry out nothing any more. */
const LATER_MS = 400_000;

const KILLED = "killed";

function shown(envelope: Envelope | undefined): string {
  if (envelope === undefined) return KILLED;
  const { success, error, meta } = envelope;
  if (!success) return error?.reason ?? error?.code ?? "failed";
  return meta?.replayed === true ? "replayed" : "done";
}

/** What was reported as done: by an answer, or by the refusal of a call that another server has just carried out. */
function resultIn(answer: Envelope | undefined): JsonObject | undefined {
  if (answer?.success === true) {
    // The data of a success is an object; that of an approval has the call's own in it.
    const { result = answer.data } = answer.data as JsonObject;
    return result as JsonObject;
  }
  const { state, result } = (answer?.error?.details?.receipt ?? {}) as JsonObject;
  return state === "confirmed" ? (result as JsonObject) : undefined;
}

/** What X holds under the id that was reported, against what was asked for. */
function wrongReport({ reported }: Scenario, args: JsonObject, result: JsonObject): readonly string[] {
  const held = reported?.(result);
  const asked = args.text ?? args.name;
  return reported === undefined || held === asked
    ? []
    : [`reported ${JSON.stringify(result)} as done, but X holds ${held} for ${asked}`];
}

/** Where X's world and the receipts disagree, but for the doubts that were reported. */
async function disagreements(
  sandbox: Sandbox,
  scenario: Scenario,
  place: StorePlace,
  doubts: number,
): Promise<readonly string[]> {
  const opened = await openStore(place, { now: Date.now });
  if (!opened.ok) return [opened.failure.message];
  const { db, close } = opened.value;
  const receipts = await db.selectFrom("receipts").selectAll().execute();
  const made = await db.selectFrom("steps").select("makes").where("makes", "is not", null).execute();
  const audited = await db.selectFrom("audit").select(["receipt_id", "status"]).execute();
  const spent = await db.selectFrom("spend").select(["period", "micros"]).execute();
  const unpaid = await db.selectFrom("ledger").select("id").where("settled_micros", "is", null).execute();
  await close();

  const complaints: string[] = [];
  const effects = scenario.effects();
  if (effects.some((count) => count > 1)) complaints.push(`done more than once: ${effects}`);
  if (doubts === 0 && effects.some((count) => count < 1)) complaints.push(`not done: ${effects}`);
  const confirmed = receipts.filter(({ state }) => state === "confirmed");
  const calls = scenario.alike === undefined ? 1 : 2;
  // Taking a mark away again is a new call each time.
  const isEnough =
    scenario.takesAway === true ? confirmed.length >= calls : confirmed.length === calls - doubts;
  if (!isEnough) complaints.push(`${confirmed.length} receipts are confirmed`);
  const open = receipts.filter(({ state }) => state === "unknown" || state === "pending");
  if (open.length !== doubts) complaints.push(`${open.length} receipts are open, ${doubts} were reported so`);
  for (const { id, state } of receipts) {
    const ends = audited.filter(({ receipt_id }) => receipt_id === id).map(({ status }) => status);
    if (ends.length === 0) complaints.push(`receipt ${id} is not in the audit log`);
    else if (ends.includes("success") !== (state === "confirmed"))
      complaints.push(`receipt ${id} is ${state}, the audit log says ${ends}`);
  }
  const things = scenario.takesAway === true ? 0 : effects.length;
  if (doubts === 0 && made.length !== things)
    complaints.push(`receipts remember ${made.length} of ${things} things`);
  // Reads that a killed server did not live to settle stay at their estimate.
  const charged = Math.round(writesCharged(sandbox) * 1e6);
  const counted = Math.max(0, ...spent.map(({ micros }) => micros));
  if (counted < charged)
    complaints.push(`X charged ${charged}, the ledger counts ${counted} (${unpaid.length} open)`);
  return complaints;
}

function writesCharged(sandbox: Sandbox): number {
  return sandbox.ledger.entries
    .filter(({ operation }) => isOperationId(operation) && operations[operation].method !== "GET")
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
