import { storageWeathers } from "./storage-weathers.ts";
import { oneOf, type Weather } from "./weather.ts";

/** X's answer to one request gets lost, or is an error, before or after the request took effect. */
const lostAnswers: Weather = {
  name: "lost answers",
  chance: 0.75,
  begin({ random, sandbox, scenario }) {
    const kind = oneOf(random, ["drop", "reset", "hang", "error", "html", "rate_limited"]);
    const when = oneOf(random, ["before", "after"]);
    const at = 1 + Math.floor(random() * 2);
    sandbox.faults.add({ operation: scenario.operation, kind, when, at });
    return { story: `${kind} ${when} request ${at}` };
  },
};

/** X carries a request out long after everybody stopped listening. */
const lateEffect: Weather = {
  name: "late effect",
  chance: 0.35,
  begin({ random, sandbox, scenario }) {
    const kind = oneOf(random, ["late", "late_reset"]);
    const seconds = oneOf(random, [5, 38, 60, 90, 150, 240]);
    const at = 1 + Math.floor(random() * random() * 3);
    sandbox.faults.add({ operation: scenario.operation, kind, at, delayMs: seconds * 1_000 });
    return { story: `request ${at} is carried out ${seconds} s later (${kind})` };
  },
};

/** The clock of the machine and X's are apart; a second server has a clock that is right. */
const wrongClock: Weather = {
  name: "wrong clock",
  chance: 0.35,
  begin({ random }) {
    const clockSkewMs = span(random);
    return { story: `clock ${clockSkewMs / 1_000} s ahead`, doomFor: () => ({ clockSkewMs }) };
  },
};

/** The clock of the machine is set while X is asked. */
const jumpingClock: Weather = {
  name: "jumping clock",
  chance: 0.25,
  begin({ random }) {
    const clockJump = { request: 1 + Math.floor(random() * 4), byMs: span(random) };
    return {
      story: `clock jumps by ${clockJump.byMs / 1_000} s at request ${clockJump.request}`,
      doomFor: () => ({ clockJump }),
    };
  },
};

/** One of X's servers has a wrong clock, by another span than the machine's: two that agree count as right. */
const wrongDate: Weather = {
  name: "wrong date",
  chance: 0.25,
  begin({ random }) {
    const date = { answer: 1 + Math.floor(random() * 5), byMs: 1.2 * span(random) };
    return {
      story: `answer ${date.answer} of X is dated ${date.byMs / 1_000} s off`,
      doomFor: () => ({ wrongDate: date }),
    };
  },
};

/** The access token has run out: servers may die while they renew it. */
const signInDue: Weather = {
  name: "sign-in due",
  chance: 0.15,
  begin: () => ({ story: "sign-in to be renewed", isSignInDue: true }),
};

/** Minutes, hours or days, forwards or backwards. */
function span(random: () => number): number {
  const seconds = oneOf(random, [45, 180, 3_600, 7_200, 86_400, 259_200]);
  return seconds * 1_000 * oneOf(random, [1, 1, -1]);
}

/** Everything that can go wrong around a server. */
export const allWeathers: readonly Weather[] = [
  lostAnswers,
  lateEffect,
  wrongClock,
  jumpingClock,
  wrongDate,
  signInDue,
  ...storageWeathers,
];

/** Those in which X's clock and the machine's are apart, or X is late. */
export const timeWeathers: readonly string[] = [
  lateEffect.name,
  wrongClock.name,
  jumpingClock.name,
  wrongDate.name,
];
