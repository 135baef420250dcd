import { callerOf } from "../gate/authenticate.ts";
import { type Answer, success } from "../http/answer.ts";
import type { Call } from "../http/exchange.ts";
import { iso, type JsonObject } from "../json.ts";
import type { Registry } from "../oauth/grants.ts";
import type { RequestResult } from "../run-operation.ts";
import { type AdsKind, type AdsRecord, adsAccountId } from "../world/ads-store.ts";
import type { Person } from "../world/person.ts";
import { type AdsResource, adsResources } from "./resources.ts";

/** Version 12. Faults and the journal use `name`. */
export interface AdsRequest {
  readonly name: string;
  readonly serve: (call: Call, registry: Registry) => RequestResult;
}

/** Undefined for paths outside the Ads API. */
export function adsRequestOf(path: string): AdsRequest | undefined {
  const [, version, ...words] = path.split("/");
  if (version !== "12") return undefined;
  const [first, account, kind] = words;
  const name = first === "stats" ? "stats" : (kind ?? (account === undefined ? "accounts" : "account"));
  return { name: `ads.${name}`, serve: (call, registry) => resultOf(call, words, registry) };
}

function resultOf(call: Call, words: readonly string[], registry: Registry): RequestResult {
  const caller = callerOf(call, registry);
  // OAuth 1.0a callers have no scopes.
  if (caller?.kind !== "user" || caller.scopes !== undefined)
    return { answer: refused(401, "UNAUTHORIZED_ACCESS", "This request is not properly authenticated.") };
  const params = Object.fromEntries(call.query);
  return { answer: answer({ call, params, person: caller.person, registry }, words), caller };
}

function answer(request: AdsCall, words: readonly string[]): Answer {
  const [root, account, kind, id, ...more] = words;
  if (root === "stats" && account === "accounts" && id === undefined) return stats(request, kind ?? "");
  if (root !== "accounts" || more.length > 0) return routeMissing();
  if (account === undefined) return dataAnswer(request, [accountOf(request.person)]);
  if (account !== adsAccountId(request.person.id)) return notFound("account_id", account);
  if (kind === undefined) return dataAnswer(request, accountOf(request.person));
  if (!isKind(kind)) return routeMissing();
  openAccount(request, account);
  switch (`${request.call.method} ${id === undefined ? "all" : "one"}`) {
    case "GET all":
      return list(request, kind);
    case "GET one":
      return withRecord(request, kind, id, (record) => dataAnswer(request, recordJson(record)));
    case "POST all":
      return create(request, kind, account);
    case "PUT one":
      return withRecord(request, kind, id, (record) => change(request, kind, record));
    case "DELETE one":
      return withRecord(request, kind, id, (record) => {
        record.deleted = true;
        return dataAnswer(request, recordJson(record));
      });
    default:
      return routeMissing();
  }
}

interface AdsCall {
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

/** X requires a payment card. */
function openAccount({ registry: { world, now } }: AdsCall, account_id: string): void {
  const { funding_instruments } = world.ads.records;
  if ([...funding_instruments.values()].some((record) => record.account_id === account_id)) return;
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

function list({ call, params, registry, person }: AdsCall, kind: AdsKind): Answer {
  const { ids } = adsResources[kind];
  const requested = params[ids]?.split(",");
  const parents = ["campaign", "line_item"].flatMap((parent) => {
    const named = params[`${parent}_ids`];
    return named === undefined || `${parent}_ids` === ids
      ? []
      : [[`${parent}_id`, named.split(",")] as const];
  });
  const found = [...registry.world.ads.records[kind].values()].filter(
    (record) =>
      record.account_id === adsAccountId(person.id) &&
      (params.with_deleted === "true" || !record.deleted) &&
      (requested?.includes(record.id) ?? true) &&
      parents.every(([field, allowed]) => allowed.includes(String(record[field]))),
  );
  const from = Number(params.cursor ?? 0);
  const count = Number(params.count ?? 200);
  if (!Number.isInteger(count) || count < 1 || count > 1_000 || !Number.isInteger(from))
    return refused(400, "INVALID_PARAMETER", "Expected count between 1 and 1000.", "count");
  const next = from + count < found.length ? String(from + count) : null;
  return success({
    request: { params: Object.fromEntries(call.query) },
    next_cursor: next,
    data: found.slice(from, from + count).map(recordJson),
  });
}

function withRecord(
  { registry, person }: AdsCall,
  kind: AdsKind,
  id: string | undefined,
  act: (record: AdsRecord) => Answer,
): Answer {
  const record = registry.world.ads.records[kind].get(id ?? "");
  return record === undefined || record.deleted || record.account_id !== adsAccountId(person.id)
    ? notFound("id", id ?? "")
    : act(record);
}

function create(request: AdsCall, kind: AdsKind, account_id: string): Answer {
  const resource = adsResources[kind];
  if (resource.required.length === 0) return routeMissing();
  const missing = resource.required.find((name) => (request.params[name] ?? "") === "");
  if (missing !== undefined)
    return refused(400, "MISSING_PARAMETER", `A required parameter was not provided: ${missing}`, missing);
  const wrong = wrongParameter(request, resource);
  if (wrong !== undefined) return wrong;
  const { each } = resource;
  const values = each === undefined ? [undefined] : (request.params[each.parameter] ?? "").split(",");
  const created = values.map((value) => {
    const { world, now } = request.registry;
    const id = world.ads.newId();
    const at = iso(now);
    const record: AdsRecord = {
      ...given(request, resource),
      ...(each !== undefined && { [each.field]: value }),
      ...(resource.hasStatus && { entity_status: request.params.entity_status ?? "ACTIVE" }),
      id,
      account_id,
      deleted: false,
      created_at: at,
      updated_at: at,
    };
    world.ads.records[kind].set(id, record);
    return recordJson(record);
  });
  return dataAnswer(request, each === undefined ? (created[0] ?? {}) : created);
}

function change(request: AdsCall, kind: AdsKind, record: AdsRecord): Answer {
  const resource = adsResources[kind];
  if (!resource.canChange) return routeMissing();
  const wrong = wrongParameter(request, resource);
  if (wrong !== undefined) return wrong;
  const changed: AdsRecord = {
    ...record,
    ...given(request, resource),
    ...(request.params.entity_status !== undefined && { entity_status: request.params.entity_status }),
    updated_at: iso(request.registry.now),
  };
  request.registry.world.ads.records[kind].set(record.id, changed);
  return dataAnswer(request, recordJson(changed));
}

function wrongParameter({ params, registry }: AdsCall, resource: AdsResource): Answer | undefined {
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
    if (value !== undefined && !registry.world.ads.records[kind].has(value))
      return notFound(parameter, value);
  }
  return undefined;
}

function given({ params }: AdsCall, { required, optional, each }: AdsResource): JsonObject {
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

function stats(request: AdsCall, account: string): Answer {
  if (account !== adsAccountId(request.person.id)) return notFound("account_id", account);
  const ids = request.params.entity_ids?.split(",") ?? [];
  if (request.params.entity === undefined || ids.length === 0)
    return refused(
      400,
      "MISSING_PARAMETER",
      "A required parameter was not provided: entity_ids",
      "entity_ids",
    );
  return dataAnswer(
    request,
    ids.map((id) => ({
      id,
      id_data: [{ segment: null, metrics: { impressions: null, engagements: null } }],
    })),
  );
}

function dataAnswer({ params }: AdsCall, data: JsonObject | readonly JsonObject[]): Answer {
  return success({ request: { params: { ...params } }, data: Array.isArray(data) ? [...data] : data });
}

function recordJson(record: AdsRecord): JsonObject {
  // Strings, numbers and booleans.
  return { ...record } as JsonObject;
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
