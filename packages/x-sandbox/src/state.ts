import { defaultStart, earliest, latest, SandboxClock } from "./clock.ts";
import { FaultPlan } from "./faults.ts";
import { Ledger } from "./gate/ledger.ts";
import { RateWindows } from "./gate/rate-windows.ts";
import { Journal } from "./journal.ts";
import { iso } from "./json.ts";
import { type App, type AppSettings, registerApp } from "./oauth/apps.ts";
import { Grants, type Registry } from "./oauth/grants.ts";
import { Random } from "./random.ts";
import type { Plan } from "./rules/plans.ts";
import { Streams } from "./streams.ts";
import { Activity } from "./world/activity.ts";
import { addKnownPost, type KnownWorld, worldOf } from "./world/known-world.ts";
import { cast } from "./world/seed/cast.ts";
import { seedWorld, type WorldSize } from "./world/seed/seed-world.ts";
import type { World } from "./world/world.ts";

export interface Settings {
  readonly seed: number;
  readonly plan: Plan;
  /** Default: real time for a running clock, else a fixed day. */
  readonly start: number | undefined;
  /** Without it, the clock is frozen. */
  readonly realTime: (() => number) | undefined;
  readonly speed: number;
  /** People act on their own. */
  readonly lively: boolean;
  readonly creditsUsd: number;
  readonly apps: readonly AppSettings[];
  readonly size: WorldSize | undefined;
  /** Replaces the generated people and posts. */
  readonly known: KnownWorld | undefined;
}

/** A reset creates a new state with the same settings. */
export interface State {
  readonly settings: Settings;
  plan: Plan;
  readonly clock: SandboxClock;
  readonly world: World;
  readonly apps: readonly App[];
  readonly grants: Grants;
  readonly ledger: Ledger;
  readonly windows: RateWindows;
  readonly faults: FaultPlan;
  readonly journal: Journal;
  readonly streams: Streams;
  /** Undefined if people do not act on their own. */
  readonly activity: Activity | undefined;
  /** They take effect later; future posts too. */
  readonly late: LateRequest[];
  requests: number;
}

export interface LateRequest {
  readonly at: number;
  readonly run: (state: State) => Promise<unknown>;
}

export function newState(settings: Settings): State {
  const start = settings.start ?? settings.realTime?.() ?? defaultStart;
  if (!(start >= earliest && start <= latest))
    throw new RangeError(`The sandbox's clock starts from ${iso(earliest)} to ${iso(latest)}.`);
  const { known } = settings;
  const world = known === undefined ? seedWorld(settings.seed, start, settings.size) : worldOf(known, start);
  const activity = settings.lively
    ? new Activity(world, new Random(settings.seed ^ activitySalt), start)
    : undefined;
  return {
    settings,
    plan: settings.plan,
    clock: new SandboxClock(start, settings.realTime, settings.speed),
    world,
    activity,
    apps: settings.apps.map((app) => registerApp(settings.seed, app)),
    grants: new Grants(new Random(settings.seed ^ tokenSalt)),
    ledger: new Ledger(settings.creditsUsd),
    windows: new RateWindows(),
    faults: new FaultPlan(),
    journal: new Journal(),
    streams: new Streams(),
    late: (known?.posts ?? [])
      .filter(({ at }) => at > start)
      .map((post) => ({ at: post.at, run: async (state) => addKnownPost(state.world, post) })),
    requests: 0,
  };
}

export function registryOf({ apps, grants, world, clock }: State): Registry {
  return { apps, grants, world, now: clock.now() };
}

/** A public one (a CLI) and a confidential one (a server). */
export const defaultApps: readonly AppSettings[] = [
  { clientId: "sandbox-public-client", owner: cast.owner },
  { clientId: "sandbox-confidential-client", owner: cast.owner, confidential: true },
];

const tokenSalt = 0x5eed;
const activitySalt = 0xac7;
