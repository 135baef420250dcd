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

/** Everything that can go wrong around a server. */
export const allWeathers: readonly Weather[] = [lostAnswers, ...storageWeathers];
