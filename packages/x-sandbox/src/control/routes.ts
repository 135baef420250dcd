import { earliest, latest } from "../clock.ts";
import { type FaultRequest, parseFaultRequest } from "../faults.ts";
import { type Answer, errorAnswer, jsonAnswer, replyOf } from "../http/answer.ts";
import type { Call, Delivery } from "../http/exchange.ts";
import { Fields } from "../http/input.ts";
import { readText } from "../http/read-body.ts";
import { isObject, iso, parsedJson } from "../json.ts";
import { plans } from "../rules/plans.ts";
import type { Sandbox } from "../sandbox.ts";
import { approve, change, credentials, enrol, say, signIn } from "./people.ts";

export interface ControlRoute {
  readonly method: "GET" | "POST" | "DELETE";
  /** Under `/_sandbox/`. */
  readonly path: string;
  readonly about: string;
  readonly act: (sandbox: Sandbox, body: Fields, query: URLSearchParams) => Answer;
}

const routes: readonly ControlRoute[] = [
  { method: "GET", path: "", about: "what there is", act: () => overview() },
  {
    method: "GET",
    path: "state",
    about: "everything in the world, with a digest",
    act: (sandbox) => jsonAnswer(sandbox.dump()),
  },
  { method: "POST", path: "reset", about: "back to the beginning {seed?}", act: reset },

  { method: "GET", path: "journal", about: "requests so far ?operation=&last=", act: journal },
  { method: "DELETE", path: "journal", about: "forget the requests", act: forgetJournal },
  { method: "GET", path: "ledger", about: "what was charged, and the balance", act: ledger },
  {
    method: "POST",
    path: "credits",
    about: "set money and cap {balance_usd?, monthly_post_cap?}",
    act: credits,
  },
  { method: "POST", path: "plan", about: "set the plan {plan: self_serve | enterprise}", act: plan },

  { method: "GET", path: "clock", about: "the sandbox's time", act: clock },
  { method: "POST", path: "clock", about: "move it {advance_ms} or {set: ISO time}", act: moveClock },

  {
    method: "GET",
    path: "faults",
    about: "faults that are planned",
    act: (sandbox) => jsonAnswer({ faults: sandbox.faults.planned }),
  },
  {
    method: "POST",
    path: "faults",
    about:
      "plan one {operation, kind, when?, at?, count?, status?, chunks?, delayMs?} or several {faults: […]}",
    act: addFaults,
  },
  { method: "DELETE", path: "faults", about: "plan none", act: clearFaults },

  {
    method: "GET",
    path: "credentials",
    about: "keys of the apps, ids of the cast, OAuth 1.0a token of ?user=",
    act: credentials,
  },
  { method: "POST", path: "tokens", about: "sign a user in {user?, scopes?, client_id?}", act: signIn },
  { method: "GET", path: "authorize", about: "approve an authorize request as ?user= would", act: approve },
  {
    method: "POST",
    path: "apps",
    about: "set whether an app is enrolled {client_id?, enrolled}",
    act: enrol,
  },
  {
    method: "POST",
    path: "people",
    about: "change somebody {user, account_status?, subscription?, verified?, protected?, opens_dms?}",
    act: change,
  },
  {
    method: "POST",
    path: "posts",
    about: "let somebody post {user, text, in_reply_to?, quoting?}",
    act: say,
  },
];

function overview(status = 200, more: object = {}): Answer {
  const lines = routes.map(
    ({ method, path, about }) => `${method} /_sandbox${path === "" ? "" : `/${path}`}: ${about}`,
  );
  return { status, body: `${JSON.stringify({ ...more, routes: lines }, null, 2)}\n` };
}

function reset(sandbox: Sandbox, body: Fields): Answer {
  const seed = body.number("seed");
  if (body.value.seed !== undefined && !Number.isSafeInteger(seed))
    return errorAnswer("seed must be a whole number.");
  sandbox.reset(seed);
  return jsonAnswer({ digest: sandbox.dump().digest });
}

function journal(sandbox: Sandbox, _body: Fields, query: URLSearchParams): Answer {
  const operation = query.get("operation");
  const entries = operation === null ? sandbox.journal.entries : sandbox.journal.of(operation);
  const last = Number(query.get("last") ?? entries.length);
  if (!Number.isSafeInteger(last)) return errorAnswer("last must be a whole number.");
  return jsonAnswer({ requests: last > 0 ? entries.slice(-last) : [] });
}

function forgetJournal(sandbox: Sandbox): Answer {
  sandbox.journal.clear();
  return jsonAnswer({ requests: [] });
}

function ledger(sandbox: Sandbox): Answer {
  const { entries, balanceUsd, monthlyPostCap } = sandbox.ledger;
  return jsonAnswer({ balance_usd: balanceUsd, monthly_post_cap: monthlyPostCap, entries });
}

function credits(sandbox: Sandbox, body: Fields): Answer {
  const balance = body.number("balance_usd");
  const cap = body.number("monthly_post_cap");
  if (balance === undefined && cap === undefined)
    return errorAnswer("Send balance_usd, monthly_post_cap, or both.");
  if (balance !== undefined) sandbox.ledger.balanceUsd = balance;
  if (cap !== undefined) sandbox.ledger.monthlyPostCap = cap;
  return jsonAnswer({
    balance_usd: sandbox.ledger.balanceUsd,
    monthly_post_cap: sandbox.ledger.monthlyPostCap,
  });
}

function plan(sandbox: Sandbox, body: Fields): Answer {
  const requested = plans.find((candidate) => candidate === body.text("plan"));
  if (requested === undefined) return errorAnswer(`plan must be one of ${plans.join(", ")}.`);
  sandbox.plan = requested;
  return jsonAnswer({ plan: requested });
}

function clock(sandbox: Sandbox): Answer {
  return jsonAnswer({
    now: iso(sandbox.clock.now()),
    now_ms: sandbox.clock.now(),
    runs: sandbox.clock.runs,
    speed: sandbox.clock.speed,
  });
}

function moveClock(sandbox: Sandbox, body: Fields): Answer {
  const step = body.number("advance_ms");
  const time = step === undefined ? Date.parse(body.text("set") ?? "") : sandbox.clock.now() + step;
  if (Number.isNaN(time) || (step !== undefined && !(step >= 0 && Number.isInteger(step))))
    return errorAnswer("Send advance_ms (a whole number from 0), or set with an ISO time.");
  if (time < earliest || time > latest)
    return errorAnswer(`The clock goes from ${iso(earliest)} to ${iso(latest)}.`);
  sandbox.clock.set(time);
  return clock(sandbox);
}

/** Adds none if one is invalid. */
function addFaults(sandbox: Sandbox, body: Fields): Answer {
  const { faults } = body.value;
  const wishes: FaultRequest[] = [];
  for (const value of Array.isArray(faults) ? faults : [body.value]) {
    const wish = parseFaultRequest(value);
    if ("complaint" in wish) return errorAnswer(wish.complaint);
    wishes.push(wish);
  }
  for (const wish of wishes) sandbox.faults.add(wish);
  return jsonAnswer({ faults: sandbox.faults.planned });
}

function clearFaults(sandbox: Sandbox): Answer {
  sandbox.faults.clear();
  return jsonAnswer({ faults: [] });
}

export async function serveControl(call: Call, sandbox: Sandbox): Promise<Delivery> {
  return { how: "whole", reply: replyOf(await answerOf(call, sandbox)) };
}

async function answerOf(call: Call, sandbox: Sandbox): Promise<Answer> {
  const path = call.path.slice("/_sandbox".length).replace(/^\/|\/$/g, "");
  const route = routes.find((candidate) => candidate.method === call.method && candidate.path === path);
  if (route === undefined) return overview(404, { error: `There is no ${call.method} ${call.path}.` });
  const text = (await readText(call.body, maxBytes)) ?? "";
  const body = text === "" ? {} : parsedJson(text);
  return isObject(body)
    ? route.act(sandbox, new Fields(body), call.query)
    : errorAnswer("The body must be a JSON object.");
}

const maxBytes = 1_048_576;
