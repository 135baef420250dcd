import type { Sandbox } from "@toolpact/x-sandbox";
import type { StorePlace } from "../../src/storage/open-store.ts";
import type { Doom } from "./order.ts";
import type { Scenario } from "./scenarios.ts";

/**
 * One kind of trouble in a run of the campaign. Every run draws its weathers from its seed, each from a separate stream
 * of numbers, so adding a weather to the list does not change the others.
 */
export interface Weather {
  readonly name: string;
  /** How likely a run has it, from 0 to 1. */
  readonly chance: number;
  /** The only engine that can have it; both where it is left out. */
  readonly engine?: Engine;
  readonly begin: (stage: WeatherStage) => ActiveWeather | Promise<ActiveWeather>;
}

export type Engine = "sqlite" | "postgres";

export interface WeatherStage {
  /** Numbers from 0 up to 1, the same for the same seed. */
  readonly random: () => number;
  readonly sandbox: Sandbox;
  readonly scenario: Scenario;
  readonly place: StorePlace;
  /** A folder for files kept outside the database. */
  readonly home: string;
  /** Two servers share the database. */
  readonly isShared: boolean;
}

/** A weather in one run. */
export interface ActiveWeather {
  readonly name?: string;
  /** Describes it in the line that the run prints. */
  readonly story: string;
  /** Describes its effect in the same line, if that is known only afterwards. */
  readonly outcome?: () => string;
  /** The servers find an access token that has run out. */
  readonly isSignInDue?: true;
  /** Environment variables of the servers. */
  readonly env?: NodeJS.ProcessEnv;
  /** The trouble that a server gets from the inside; attempts count from 0. */
  readonly doomFor?: (attempt: number) => Partial<Doom>;
  /** Runs during an attempt, next to its servers; awaited after they have ended. */
  readonly duringAttempt?: (attempt: number) => Promise<void>;
  /** Runs when the servers of an attempt have ended, before the next attempt. */
  readonly afterAttempt?: (attempt: number) => Promise<void>;
  /** Runs before the world is compared with what was reported: everything must work again. */
  readonly end?: () => Promise<void>;
}

/** The weathers of one run. */
export async function weathersFor(
  seed: number,
  engine: Engine,
  weathers: readonly Weather[],
  stage: Omit<WeatherStage, "random">,
): Promise<readonly ActiveWeather[]> {
  const active: ActiveWeather[] = [];
  for (const weather of weathers) {
    const random = randomFrom(seed, weather.name);
    if (random() >= weather.chance || (weather.engine ?? engine) !== engine) continue;
    active.push({ ...(await weather.begin({ ...stage, random })), name: weather.name });
  }
  return active;
}

/** The same numbers for the same seed and purpose (mulberry32). */
export function randomFrom(seed: number, purpose: string): () => number {
  let state = seed | 0;
  for (const character of purpose) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of several, each as likely. */
export function oneOf<const T>(random: () => number, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0];
}
