import { type Answer, errorAnswer, jsonAnswer } from "../http/answer.ts";
import type { Fields } from "../http/input.ts";
import type { App } from "../oauth/apps.ts";
import { knownScopes, sendBack } from "../oauth/authorize.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Person } from "../world/person.ts";
import { cast } from "../world/seed/cast.ts";

export function credentials(sandbox: Sandbox, _body: Fields, query: URLSearchParams): Answer {
  const person = personNamed(sandbox, query.get("user") ?? cast.owner);
  if ("status" in person) return person;
  return jsonAnswer({
    apps: sandbox.apps,
    oauth1: sandbox.oauth1(person.username),
    people: Object.fromEntries(
      Object.entries(cast).map(([role, username]) => [role, { username, id: sandbox.person(username).id }]),
    ),
  });
}

export function signIn(sandbox: Sandbox, body: Fields): Answer {
  const person = personNamed(sandbox, body.text("user") ?? cast.owner);
  if ("status" in person) return person;
  const app = appNamed(sandbox, body.text("client_id"));
  if ("status" in app) return app;
  const scopes = body.value.scopes === undefined ? knownScopes : body.texts("scopes");
  const stray = scopes?.find((scope) => !knownScopes.includes(scope));
  if (scopes === undefined || stray !== undefined)
    return errorAnswer(
      `scopes must be a list of X's scopes${stray === undefined ? "" : `, not ${stray}`}: ${knownScopes.join(", ")}.`,
    );
  const tokens = sandbox.signIn({ user: person.username, app, scopes });
  return jsonAnswer({
    token_type: "bearer",
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    expires_in: tokens.expiresInSeconds,
    scope: tokens.scopes.join(" "),
  });
}

export function approve(sandbox: Sandbox, _body: Fields, query: URLSearchParams): Answer {
  return sendBack(sandbox.consent(`http://sandbox.invalid/?${query}`, query.get("user") ?? cast.owner));
}

export function enrol(sandbox: Sandbox, body: Fields): Answer {
  const app = appNamed(sandbox, body.text("client_id"));
  if ("status" in app) return app;
  const enrolled = body.flag("enrolled");
  if (enrolled === undefined) return errorAnswer("Send enrolled: true or false.");
  app.enrolled = enrolled;
  return jsonAnswer({ client_id: app.clientId, enrolled });
}

/** All changes, or none if one is invalid. */
export function change(sandbox: Sandbox, body: Fields): Answer {
  const person = personNamed(sandbox, body.text("user"));
  if ("status" in person) return person;
  const names = changeable.map(([name]): string => name);
  const stray = Object.keys(body.value).find((name) => name !== "user" && !names.includes(name));
  if (stray !== undefined)
    return errorAnswer(`A person has no \`${stray}\` to change; there are ${names.join(", ")}.`);
  const changes: Record<string, unknown> = {};
  for (const [name, field, choices] of changeable) {
    const requested = body.value[name];
    if (requested === undefined) continue;
    if (!choices.some((choice) => choice === requested))
      return errorAnswer(`${name} must be one of ${choices.join(", ")}.`);
    changes[field] = requested;
  }
  return jsonAnswer(Object.assign(person, changes));
}

/** Request field, the person's field, and its allowed values. */
const changeable = [
  ["account_status", "accountStatus", ["active", "locked", "suspended"]],
  ["subscription", "subscription", ["None", "Basic", "Premium", "PremiumPlus"]],
  ["verified", "verified", ["none", "blue", "business", "government"]],
  ["protected", "protected", [true, false]],
  ["opens_dms", "opensDms", [true, false]],
] as const satisfies readonly Change[];

type Change = {
  [Field in keyof Person]: readonly [name: string, field: Field, choices: readonly Person[Field][]];
}[keyof Person];

export function say(sandbox: Sandbox, body: Fields): Answer {
  const person = personNamed(sandbox, body.text("user"));
  if ("status" in person) return person;
  const text = body.text("text");
  if (text === undefined) return errorAnswer("Send the text of the post.");
  const inReplyTo = body.text("in_reply_to");
  const quoting = body.text("quoting");
  const lost = [inReplyTo, quoting].find((id) => id !== undefined && !sandbox.world.posts.has(id));
  if (lost !== undefined) return errorAnswer(`There is no post ${lost}.`, 404);
  const post = sandbox.say(person.username, text, {
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(quoting !== undefined && { quoting }),
  });
  return jsonAnswer({ id: post.id, text: post.text });
}

function personNamed(sandbox: Sandbox, username: string | undefined): Person | Answer {
  if (username === undefined) return errorAnswer("Send user: the username of somebody in the sandbox.");
  return sandbox.world.personNamed(username) ?? errorAnswer(`Nobody is called @${username}.`, 404);
}

function appNamed(sandbox: Sandbox, clientId = sandbox.app.clientId): App | Answer {
  const app = sandbox.apps.find((candidate) => candidate.clientId === clientId);
  return app ?? errorAnswer(`No app has the client id ${clientId}.`, 404);
}
