import { Sandbox } from "@toolpact/x-sandbox";
import { openStore, type StorePlace } from "../../src/storage/open-store.ts";
import type { Envelope } from "../live-server.ts";
import { agentAt } from "./agent.ts";
import { type Complaint, disagreements, openReceipts, resultIn, wrongReport } from "./oracle.ts";
import { type Death, type DoomedCall, fastTime } from "./order.ts";
import { scenarioOn } from "./scenarios.ts";
import { oneOf, randomFrom, type Weather, weathersFor } from "./weather.ts";

export interface ChaosRun {
  readonly seed: number;
  /** A place that nobody has opened yet. */
  readonly place: StorePlace;
  /** Two servers share the database and get the same call at once. */
  readonly isShared: boolean;
  /** A folder for files kept outside the database. */
  readonly home: string;
  /** Node's arguments that run tuitbot's command line. */
  readonly program: readonly string[];
  readonly weathers: readonly Weather[];
  /** Filled with the events of the run while it goes on. */
  readonly story: string[];
}

/** The result of one run. It has no complaints if the world and the receipts agree. */
export interface ChaosResult {
  readonly story: string;
  /** Servers that were killed. */
  readonly deaths: number;
  /** Names of the weathers it had. */
  readonly weathers: readonly string[];
  /** A call whose outcome only a person can find out, and which was reported so. */
  readonly hasDoubt: boolean;
  /** How many approvals the servers asked for and got; undefined where nobody is asked. */
  readonly approvals: number | undefined;
  /** The agent gave its call a key, or its tool needs none. */
  readonly isKeyless: boolean;
  readonly complaints: readonly Complaint[];
  /** Why it was given up before its end; undefined for a run that was finished. */
  readonly unfinished: string | undefined;
}

/**
 * An agent wants one thing. Its server is killed at a moment that the seed names, X's answers get lost as the seed
 * has it, the agent repeats its call until it gets an answer, and then the sandbox's world is held against the
 * receipts: what was wanted is there once, and nothing is forgotten.
 */
export async function runChaos(run: ChaosRun): Promise<ChaosResult> {
  const { seed, place, isShared, home, program, story } = run;
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
    const asksPerson = randomFrom(seed, "approvals")() < 0.5;
    const agent = await agentAt({ home, place, sandbox, program, env, isSignInDue, asksPerson });
    story.push(`seed ${seed}: ${scenario.name}`, ...weathers.map((weather) => weather.story));
    if (asksPerson) story.push("a person is asked");
    if (isShared) story.push("two servers");

    const { tool, args, alike, isKeyless = false } = scenario;
    const wanted = new Set(alike === undefined ? [args] : [args, alike]);
    const all = wanted.size;
    const complaints: Complaint[] = [];
    let laterMs = 0;
    let hasDoubt = false;
    /** Only its caller can tell whether these words are the same message, and it needs no approval. */
    const isOnItsOwn = isKeyless && !asksPerson;
    /** The last server died before it answered, so it has not asked for a repeat. */
    let wasLost = false;

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
          const answer = await agent.ask({ ...call, ...twin, looksFirst: isOnItsOwn && wasLost });
          answers.push(answer);
          wasLost = answer === undefined;
          hasDoubt ||= answer?.error?.reason === "outcome_unknown";
          const result = resultIn(answer);
          if (result === undefined) continue;
          wanted.delete(call.args);
          complaints.push(...wrongReport(scenario, call.args, result));
          const reported = calls.length + done - wanted.size;
          const there = scenario.effects().reduce((sum, count) => sum + count, 0);
          if (there < reported) complaints.push(`misreported: ${reported} as done, X holds ${there}`);
        }
        return answers;
      };
      const askTwin = () => {
        const calm = { ...doom, death: NEVER, clockSkewMs: 0 };
        if (!isKeyless) return ask(calm);
        // The same words twice at once would be two messages: the twin settles what the first server left open.
        const id = agent.lastApproved();
        const settling =
          id === undefined || random() < 0.3 ? BYSTANDER : { tool: "approve_item", args: { id } };
        return agent.ask({ ...calm, ...settling, clockAheadMs: laterMs, fastSince });
      };
      if (isShared && isKeyless && random() < 0.7)
        story.push(...[await askTwin()].flat().map((answer) => `first ${shown(answer)}`));
      const asked = [ask({}), ...(isShared ? [askTwin()] : [])];
      const [answers] = await Promise.all([
        Promise.all(asked),
        ...weathers.map((weather) => weather.duringAttempt?.(number)),
      ]);
      // X has everything that was sent before its clock goes on: no request reaches it later than it could in life.
      await sandbox.quiet();
      for (const weather of weathers) await weather.afterAttempt?.(number);
      story.push(...answers.flat().map(shown));
    }

    await attempt(0, someDeath());
    for (let tries = 1; wanted.size > 0 && tries <= MAX_TRIES; tries++) {
      // Soon at first, while X may still be at it; then when everything can be known.
      const isSoon = tries === 1 || (tries === 2 && random() < 0.3);
      const waitMs = isSoon ? oneOf(random, SOON_MS) : LATER_MS;
      laterMs += waitMs;
      sandbox.clock.advance(waitMs);
      // It may die once more, early in its second life.
      await attempt(tries, tries === 1 && random() < 0.3 ? someDeath() : NEVER);
    }
    // The next server that sends something resolves outcomes that several tries left open.
    if (scenario.takesAway === true) {
      wanted.add(args);
      for (let tries = 1; wanted.size > 0 && tries <= MAX_TRIES; tries++) {
        laterMs += LATER_MS;
        sandbox.clock.advance(LATER_MS);
        await attempt(MAX_TRIES + tries, NEVER);
      }
    }
    for (const weather of weathers) {
      await weather.end?.();
      if (weather.outcome !== undefined) story.push(weather.outcome());
    }
    // The power may fail between an answer and the disk. Then the next server finds out what became of the call.
    for (let tries = 1; tries <= MAX_TRIES && (await openReceipts(place)) > wanted.size; tries++) {
      laterMs += LATER_MS;
      sandbox.clock.advance(LATER_MS);
      for (const again of [args, ...(alike === undefined ? [] : [alike])]) {
        const answer = await agent.askCalmly({
          tool,
          args: again,
          clockAheadMs: laterMs,
          fastSince,
          death: NEVER,
          looksFirst: isOnItsOwn,
        });
        story.push(`asked again: ${shown(answer)}`);
        const result = resultIn(answer);
        if (result !== undefined) complaints.push(...wrongReport(scenario, again, result));
      }
    }
    sandbox.clock.advance(LATER_MS);
    await sandbox.catchUp();
    if (wanted.size > 0 && !hasDoubt) complaints.push("forgotten: the agent never got an answer");
    complaints.push(...(await disagreements(sandbox, scenario, place, wanted.size)));
    const deaths = story.filter((line) => line === KILLED).length;
    const names = weathers.map(({ name = "" }) => name);
    return {
      story: story.join("; "),
      deaths,
      complaints,
      unfinished: undefined,
      weathers: names,
      approvals: asksPerson ? agent.approvals() : undefined,
      isKeyless,
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

/** About as many moments as a server has before it is done. */
const MOMENTS = 110;
const MOMENTS_WITH_TABLES = 170;
/** On a busy machine X seems slow, and several attempts may fail. */
const MAX_TRIES = 12;
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

const NEVER: Death = { kind: "never" };

/** A call that sends nothing: X does not accept so long a post. */
const BYSTANDER = { tool: "x_post_tweet", args: { text: "long ".repeat(60) } };

/** Half of the deaths are around the requests, where they hurt, and most of these around the first. */
function deathFrom(random: () => number, mostMoments: number): Death {
  const moment = Math.floor(random() * mostMoments);
  if (random() < 0.5) return { kind: "moment", number: 1 + moment };
  const number = 1 + Math.floor(random() * random() * 3);
  return { kind: "request", number, when: oneOf(random, ["before", "under way", "answered"]) };
}
