import type { Answer } from "../answer.ts";
import { earliest, latest } from "../clock.ts";
import { type FaultWish, faultWishOf } from "../faults.ts";
import type { Fields } from "../gate/input.ts";
import { iso } from "../json.ts";
import { sendBack } from "../oauth/authorize.ts";
import { knownScopes } from "../oauth/scopes.ts";
import { plans } from "../rules/plans.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Person } from "../world/person.ts";
import { cast } from "../world/seed/cast.ts";

export interface ControlRoute {
  readonly method: "GET" | "POST" | "DELETE";
  /** Under `/_sandbox/`. */
  readonly path: string;
  readonly about: string;
  readonly act: (sandbox: Sandbox, body: Fields, query: URLSearchParams) => Answer;
}

export const routes: readonly ControlRoute[] = [
  { method: "GET", path: "", about: "what there is", act: () => shown({ routes: overview() }) },
  {
    method: "GET",
    path: "state",
    about: "everything in the world, with a digest",
    act: (sandbox) => shown(sandbox.dump()),
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
    act: (sandbox) => shown({ faults: sandbox.faults.planned }),
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
    act: setApp,
  },
  {
    method: "POST",
    path: "people",
    about: "change somebody {user, standing?, subscription?, verified?, protected?, opens_dms?}",
    act: setPerson,
  },
  {
    method: "POST",
    path: "posts",
    about: "let somebody post {user, text, in_reply_to?, quoting?}",
    act: say,
  },
];

export function overview(): string[] {
  return routes.map(({ method, path, about }) => `${method} /_sandbox/${path}: ${about}`);
}

export function complaint(error: string, status = 400): Answer {
  return { status, body: { error } };
}

function shown(value: object): Answer {
  return { status: 200, body: JSON.stringify(value) };
}

function reset(sandbox: Sandbox, body: Fields): Answer {
  sandbox.reset(body.number("seed"));
  return shown({ digest: sandbox.dump().digest });
}

function journal(sandbox: Sandbox, _body: Fields, query: URLSearchParams): Answer {
  const operation = query.get("operation");
  const entries = operation === null ? sandbox.journal.entries : sandbox.journal.of(operation);
  const last = Number(query.get("last") ?? entries.length);
  return shown({ requests: last > 0 ? entries.slice(-last) : [] });
}

function forgetJournal(sandbox: Sandbox): Answer {
  sandbox.journal.clear();
  return shown({ requests: [] });
}

function ledger(sandbox: Sandbox): Answer {
  const { entries, balanceUsd, monthlyPostCap } = sandbox.ledger;
  return shown({ balance_usd: balanceUsd, monthly_post_cap: monthlyPostCap, entries });
}

function credits(sandbox: Sandbox, body: Fields): Answer {
  const balance = body.number("balance_usd");
  const cap = body.number("monthly_post_cap");
  if (balance === undefined && cap === undefined)
    return complaint("Send balance_usd, monthly_post_cap, or both.");
  if (balance !== undefined) sandbox.ledger.balanceUsd = balance;
  if (cap !== undefined) sandbox.ledger.monthlyPostCap = cap;
  return shown({ balance_usd: sandbox.ledger.balanceUsd, monthly_post_cap: sandbox.ledger.monthlyPostCap });
}

function plan(sandbox: Sandbox, body: Fields): Answer {
  const wanted = plans.find((candidate) => candidate === body.text("plan"));
  if (wanted === undefined) return complaint(`plan must be one of ${plans.join(", ")}.`);
  sandbox.plan = wanted;
  return shown({ plan: wanted });
}

function clock(sandbox: Sandbox): Answer {
  return shown({
    now: new Date(sandbox.clock.now()).toISOString(),
    now_ms: sandbox.clock.now(),
    runs: sandbox.clock.runs,
  });
}

function moveClock(sandbox: Sandbox, body: Fields): Answer {
  const step = body.number("advance_ms");
  const time = step === undefined ? Date.parse(body.text("set") ?? "") : sandbox.clock.now() + step;
  if (Number.isNaN(time) || (step !== undefined && !(step >= 0 && Number.isInteger(step))))
    return complaint("Send advance_ms (a whole number from 0), or set with an ISO time.");
  if (time < earliest || time > latest)
    return complaint(`The clock goes from ${iso(earliest)} to ${iso(latest)}.`);
  sandbox.clock.set(time);
  return clock(sandbox);
}

/** One fault, or a script of several; nothing is planned when one of them is wrong. */
function addFaults(sandbox: Sandbox, body: Fields): Answer {
  const { faults } = body.value;
  const wishes: FaultWish[] = [];
  for (const value of Array.isArray(faults) ? faults : [body.value]) {
    const wish = faultWishOf(value);
    if ("complaint" in wish) return complaint(wish.complaint);
    wishes.push(wish);
  }
  for (const wish of wishes) sandbox.faults.add(wish);
  return shown({ faults: sandbox.faults.planned });
}

function clearFaults(sandbox: Sandbox): Answer {
  sandbox.faults.clear();
  return shown({ faults: [] });
}

function credentials(sandbox: Sandbox, _body: Fields, query: URLSearchParams): Answer {
  const user = query.get("user") ?? cast.owner;
  if (sandbox.world.personNamed(user) === undefined) return complaint(`Nobody is called @${user}.`, 404);
  return shown({
    apps: sandbox.apps,
    oauth1: sandbox.oauth1(user),
    people: Object.fromEntries(
      Object.entries(cast).map(([role, username]) => [role, { username, id: sandbox.person(username).id }]),
    ),
  });
}

function signIn(sandbox: Sandbox, body: Fields): Answer {
  const user = body.text("user") ?? cast.owner;
  if (sandbox.world.personNamed(user) === undefined) return complaint(`Nobody is called @${user}.`, 404);
  const clientId = body.text("client_id");
  const app =
    clientId === undefined ? sandbox.app : sandbox.apps.find((candidate) => candidate.clientId === clientId);
  if (app === undefined) return complaint(`No app has the client id ${clientId}.`, 404);
  const scopes = body.value.scopes === undefined ? knownScopes : body.texts("scopes");
  const stray = scopes?.find((scope) => !knownScopes.includes(scope));
  if (scopes === undefined || stray !== undefined)
    return complaint(
      `scopes must be a list of X's scopes${stray === undefined ? "" : `, not ${stray}`}: ${knownScopes.join(", ")}.`,
    );
  const tokens = sandbox.signIn({ user, app, scopes });
  return shown({
    token_type: "bearer",
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    expires_in: tokens.expiresInSeconds,
    scope: tokens.scopes.join(" "),
  });
}

function approve(sandbox: Sandbox, _body: Fields, query: URLSearchParams): Answer {
  return sendBack(sandbox.consent(`http://sandbox.invalid/?${query}`, query.get("user") ?? cast.owner));
}

function setApp(sandbox: Sandbox, body: Fields): Answer {
  const clientId = body.text("client_id") ?? sandbox.app.clientId;
  const app = sandbox.apps.find((candidate) => candidate.clientId === clientId);
  const enrolled = body.flag("enrolled");
  if (app === undefined) return complaint(`No app has the client id ${clientId}.`, 404);
  if (enrolled === undefined) return complaint("Send enrolled: true or false.");
  app.enrolled = enrolled;
  return shown({ client_id: clientId, enrolled });
}

function setPerson(sandbox: Sandbox, body: Fields): Answer {
  const person = sandbox.world.personNamed(body.text("user") ?? "");
  if (person === undefined) return complaint("user must be the username of somebody in the sandbox.", 404);
  const choose = <T extends string>(name: string, choices: readonly T[]): T | undefined | "bad" => {
    const text = body.text(name);
    return text === undefined ? undefined : (choices.find((choice) => choice === text) ?? "bad");
  };
  const standing = choose<Person["standing"]>("standing", ["active", "locked", "suspended"]);
  const subscription = choose<Person["subscription"]>("subscription", [
    "None",
    "Basic",
    "Premium",
    "PremiumPlus",
  ]);
  const verified = choose<Person["verified"]>("verified", ["none", "blue", "business", "government"]);
  if (standing === "bad") return complaint("standing must be active, locked or suspended.");
  if (subscription === "bad") return complaint("subscription must be None, Basic, Premium or PremiumPlus.");
  if (verified === "bad") return complaint("verified must be none, blue, business or government.");
  person.standing = standing ?? person.standing;
  person.subscription = subscription ?? person.subscription;
  person.verified = verified ?? person.verified;
  person.protected = body.flag("protected") ?? person.protected;
  person.opensDms = body.flag("opens_dms") ?? person.opensDms;
  return shown(person);
}

function say(sandbox: Sandbox, body: Fields): Answer {
  const user = body.text("user") ?? "";
  const text = body.text("text");
  if (sandbox.world.personNamed(user) === undefined)
    return complaint("user must be the username of somebody in the sandbox.", 404);
  if (text === undefined) return complaint("Send the text of the post.");
  const inReplyTo = body.text("in_reply_to");
  const quoting = body.text("quoting");
  const post = sandbox.say(user, text, {
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(quoting !== undefined && { quoting }),
  });
  return shown({ id: post.id, text: post.text });
}
