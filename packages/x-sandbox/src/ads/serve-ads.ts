import { type Answer, done } from "../answer.ts";
import type { Course } from "../course.ts";
import { callerOf } from "../gate/authenticate.ts";
import type { Call } from "../http/exchange.ts";
import { iso, type JsonObject } from "../json.ts";
import type { Registry } from "../oauth/registry.ts";
import { type AdsKind, type AdsThing, adsAccountId } from "../world/ads-book.ts";
import type { Person } from "../world/person.ts";
import { type AdsResource, adsResources } from "./resources.ts";

/** A request for X's Ads API, version 12: `name` is what faults and the journal call it. */
export interface AdsErrand {
  readonly name: string;
  readonly serve: (call: Call, registry: Registry) => Course;
}

/** Undefined for paths that are not of the Ads API. */
export function adsErrandOf(path: string): AdsErrand | undefined {
  const [, version, ...words] = path.split("/");
  if (version !== "12") return undefined;
  const [first, account, kind] = words;
  const name = first === "stats" ? "stats" : (kind ?? (account === undefined ? "accounts" : "account"));
  return { name: `ads.${name}`, serve: (call, registry) => course(call, words, registry) };
}

function course(call: Call, words: readonly string[], registry: Registry): Course {
  const caller = callerOf(call, registry);
  // The Ads API takes OAuth 1.0a alone: only its callers have no scopes.
  if (caller?.kind !== "user" || caller.scopes !== undefined)
    return { answer: refused(401, "UNAUTHORIZED_ACCESS", "This request is not properly authenticated.") };
  const params = Object.fromEntries(call.query);
  return { answer: answer({ call, params, person: caller.person, registry }, words), caller };
}

function answer(desk: Desk, words: readonly string[]): Answer {
  const [root, account, kind, id, ...more] = words;
  if (root === "stats" && account === "accounts" && id === undefined) return stats(desk, kind ?? "");
  if (root !== "accounts" || more.length > 0) return routeMissing();
  if (account === undefined) return told(desk, [accountOf(desk.person)]);
  if (account !== adsAccountId(desk.person.id)) return notFound("account_id", account);
  if (kind === undefined) return told(desk, accountOf(desk.person));
  if (!isKind(kind)) return routeMissing();
  openAccount(desk, account);
  switch (`${desk.call.method} ${id === undefined ? "all" : "one"}`) {
    case "GET all":
      return list(desk, kind);
    case "GET one":
      return withThing(desk, kind, id, (thing) => told(desk, shown(thing)));
    case "POST all":
      return create(desk, kind, account);
    case "PUT one":
      return withThing(desk, kind, id, (thing) => change(desk, kind, thing));
    case "DELETE one":
      return withThing(desk, kind, id, (thing) => {
        thing.deleted = true;
        return told(desk, shown(thing));
      });
    default:
      return routeMissing();
  }
}

interface Desk {
  readonly call: Call;
  readonly params: Readonly<Record<string, string>>;
  readonly person: Person;
  readonly registry: Registry;
}

function isKind(word: string): word is AdsKind {
  return Object.hasOwn(adsResources, word);
}

function accountOf({ id, name }: Person): JsonObject {
  return { id: adsAccountId(id), name, timezone: "UTC", approval_status: "ACCEPTED", deleted: false };
}

/** Who advertises has a way to pay. */
function openAccount({ registry: { world, now } }: Desk, account_id: string): void {
  const { funding_instruments } = world.ads.things;
  if ([...funding_instruments.values()].some((thing) => thing.account_id === account_id)) return;
  const id = world.ads.newId();
  const at = iso(now);
  funding_instruments.set(id, {
    id,
    account_id,
    type: "CREDIT_CARD",
    currency: "USD",
    deleted: false,
    created_at: at,
    updated_at: at,
  });
}

function list({ call, params, registry, person }: Desk, kind: AdsKind): Answer {
  const { ids } = adsResources[kind];
  const wanted = params[ids]?.split(",");
  const parents = ["campaign", "line_item"].flatMap((parent) => {
    const named = params[`${parent}_ids`];
    return named === undefined || `${parent}_ids` === ids
      ? []
      : [[`${parent}_id`, named.split(",")] as const];
  });
  const found = [...registry.world.ads.things[kind].values()].filter(
    (thing) =>
      thing.account_id === adsAccountId(person.id) &&
      (params.with_deleted === "true" || !thing.deleted) &&
      (wanted?.includes(thing.id) ?? true) &&
      parents.every(([field, allowed]) => allowed.includes(String(thing[field]))),
  );
  const from = Number(params.cursor ?? 0);
  const count = Number(params.count ?? 200);
  if (!Number.isInteger(count) || count < 1 || count > 1_000 || !Number.isInteger(from))
    return refused(400, "INVALID_PARAMETER", "Expected count between 1 and 1000.", "count");
  const next = from + count < found.length ? String(from + count) : null;
  return done({
    request: { params: Object.fromEntries(call.query) },
    next_cursor: next,
    data: found.slice(from, from + count).map(shown),
  });
}

function withThing(
  { registry, person }: Desk,
  kind: AdsKind,
  id: string | undefined,
  act: (thing: AdsThing) => Answer,
): Answer {
  const thing = registry.world.ads.things[kind].get(id ?? "");
  return thing === undefined || thing.deleted || thing.account_id !== adsAccountId(person.id)
    ? notFound("id", id ?? "")
    : act(thing);
}

function create(desk: Desk, kind: AdsKind, account_id: string): Answer {
  const resource = adsResources[kind];
  if (resource.required.length === 0) return routeMissing();
  const missing = resource.required.find((name) => (desk.params[name] ?? "") === "");
  if (missing !== undefined)
    return refused(400, "MISSING_PARAMETER", `A required parameter was not provided: ${missing}`, missing);
  const wrong = wrongParameter(desk, resource);
  if (wrong !== undefined) return wrong;
  const { each } = resource;
  const values = each === undefined ? [undefined] : (desk.params[each.parameter] ?? "").split(",");
  const made = values.map((value) => {
    const { world, now } = desk.registry;
    const id = world.ads.newId();
    const at = iso(now);
    const thing: AdsThing = {
      ...given(desk, resource),
      ...(each !== undefined && { [each.field]: value }),
      ...(resource.hasStatus && { entity_status: desk.params.entity_status ?? "ACTIVE" }),
      id,
      account_id,
      deleted: false,
      created_at: at,
      updated_at: at,
    };
    world.ads.things[kind].set(id, thing);
    return shown(thing);
  });
  return told(desk, each === undefined ? (made[0] ?? {}) : made);
}

function change(desk: Desk, kind: AdsKind, thing: AdsThing): Answer {
  const resource = adsResources[kind];
  if (!resource.canChange) return routeMissing();
  const wrong = wrongParameter(desk, resource);
  if (wrong !== undefined) return wrong;
  const changed: AdsThing = {
    ...thing,
    ...given(desk, resource),
    ...(desk.params.entity_status !== undefined && { entity_status: desk.params.entity_status }),
    updated_at: iso(desk.registry.now),
  };
  desk.registry.world.ads.things[kind].set(thing.id, changed);
  return told(desk, shown(changed));
}

function wrongParameter({ params, registry }: Desk, resource: AdsResource): Answer | undefined {
  const known = [
    ...resource.required,
    ...resource.optional,
    ...(resource.hasStatus ? ["entity_status"] : []),
  ];
  const stray = Object.keys(params).find((name) => !known.includes(name));
  if (stray !== undefined) return refused(400, "INVALID_PARAMETER", `Unknown parameter ${stray}.`, stray);
  const { entity_status } = params;
  if (entity_status !== undefined && !["ACTIVE", "PAUSED", "DRAFT"].includes(entity_status))
    return refused(400, "INVALID_PARAMETER", "Expected ACTIVE, PAUSED or DRAFT.", "entity_status");
  for (const [parameter, kind] of Object.entries(resource.refers)) {
    const value = params[parameter];
    if (value !== undefined && !registry.world.ads.things[kind].has(value)) return notFound(parameter, value);
  }
  return undefined;
}

function given({ params }: Desk, { required, optional, each }: AdsResource): JsonObject {
  const names = [...required, ...optional].filter((name) => name !== each?.parameter);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = params[name];
      if (value === undefined) return [];
      return [
        [name, name.endsWith("_micro") ? Number(value) : name === "placements" ? value.split(",") : value],
      ];
    }),
  );
}

function stats(desk: Desk, account: string): Answer {
  if (account !== adsAccountId(desk.person.id)) return notFound("account_id", account);
  const ids = desk.params.entity_ids?.split(",") ?? [];
  if (desk.params.entity === undefined || ids.length === 0)
    return refused(
      400,
      "MISSING_PARAMETER",
      "A required parameter was not provided: entity_ids",
      "entity_ids",
    );
  return told(
    desk,
    ids.map((id) => ({
      id,
      id_data: [{ segment: null, metrics: { impressions: null, engagements: null } }],
    })),
  );
}

function told({ params }: Desk, data: JsonObject | readonly JsonObject[]): Answer {
  return done({ request: { params: { ...params } }, data: Array.isArray(data) ? [...data] : data });
}

function shown(thing: AdsThing): JsonObject {
  // Made above, of texts, numbers and flags.
  return { ...thing } as JsonObject;
}

function notFound(parameter: string, value: string): Answer {
  return refused(404, "NOT_FOUND", `${parameter} ${value} was not found.`, parameter);
}

function routeMissing(): Answer {
  return refused(404, "ROUTE_NOT_FOUND", "The requested resource could not be found.");
}

function refused(status: number, code: string, message: string, parameter = ""): Answer {
  return { status, body: { errors: [{ code, message, parameter }], request: { params: {} } } };
}
