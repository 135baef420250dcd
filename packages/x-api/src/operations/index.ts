import { type OperationId as SpecOperationId, table } from "./table.gen.ts";
import type { Method, Operation } from "./types.ts";

export { prices, specVersion } from "./table.gen.ts";
export type { Auth, Body, Field, Method, Operation, Param, ValueRule, Window } from "./types.ts";

type LaterOperationId = "getUsageCredits";

/** Operations newer than the specification the table was generated from; remove each once the table has it. */
const laterOperations: Readonly<Record<LaterOperationId, Operation>> = {
  // In X's specification since 2.168. Free of charge.
  getUsageCredits: {
    id: "getUsageCredits",
    method: "GET",
    path: "/2/usage/credits",
    host: "https://api.x.com",
    tag: "Usage",
    params: [],
    answer: { status: 200, data: "object" },
    auth: [{ scheme: "oauth2", scopes: [] }, { scheme: "bearer" }],
  },
};

export type OperationId = SpecOperationId | LaterOperationId;

/** Every known operation of X's API, by id. */
export const operations: Readonly<Record<OperationId, Operation>> = { ...table, ...laterOperations };

export function isOperationId(id: string): id is OperationId {
  return Object.hasOwn(operations, id);
}

/** With path parameters. */
export interface Route {
  readonly operation: OperationId;
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Returns undefined for paths outside X's operation table. Fixed segments win over parameters.
 *
 * @example
 * operationAt("GET", "/2/users/by/username/jack"); // { operation: "getUsersByUsername", path: { username: "jack" } }
 */
export function operationAt(method: Method, path: string): Route | undefined {
  const segments = path.split("/");
  const matches = routes()
    .filter((route) => route.method === method && route.segments.length === segments.length)
    .flatMap((route) => {
      const values = valuesOf(route.segments, segments);
      return values === undefined ? [] : [{ operation: route.operation, path: values }];
    })
    .sort((a, b) => Object.keys(a.path).length - Object.keys(b.path).length);
  return matches[0];
}

/** A template such as `/2/users/{id}/likes`. */
export function matchesTemplate(template: string, path: string): boolean {
  const expected = template.split("/");
  const segments = path.split("/");
  return expected.length === segments.length && valuesOf(expected, segments) !== undefined;
}

interface KnownRoute {
  readonly operation: OperationId;
  readonly method: Method;
  readonly segments: readonly string[];
}

let known: readonly KnownRoute[] | undefined;

function routes(): readonly KnownRoute[] {
  known ??= Object.keys(operations)
    .filter(isOperationId)
    .map((operation) => ({
      operation,
      method: operations[operation].method,
      segments: operations[operation].path.split("/"),
    }));
  return known;
}

function valuesOf(
  template: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const values: Record<string, string> = {};
  for (const [at, expected] of template.entries()) {
    const given = segments[at] ?? "";
    const name = /^\{(.+)\}$/.exec(expected)?.[1];
    if (name === undefined ? given !== expected : given === "") return undefined;
    if (name !== undefined) values[name] = given;
  }
  return values;
}
