import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { configSchema } from "../../src/config/schema.ts";
import { errors } from "../../src/errors.ts";
import { profiles } from "../../src/profiles.ts";
import { catalogFor } from "../../src/server/catalog.ts";
import { generatedFiles } from "../../src/server/generate.ts";
import { stackOf } from "../../src/server/guard-stacks.ts";
import { fullManifest, profileManifest } from "../../src/server/manifest.ts";
import { specifiedErrors } from "./specified-errors.ts";
import { referenceCategories, specifiedGroups } from "./specified-tools.ts";

test("the profiles are the six of the specification", () => {
  expect([...profiles]).toEqual([
    "readonly",
    "api-readonly",
    "write",
    "admin",
    "utility-readonly",
    "utility-write",
  ]);
});

test("reads are repeated twice by default, after waits from 500 ms to 5 s", () => {
  const { read_retries, retry_first_wait_ms, retry_longest_wait_ms } = configSchema.parse({}).x_api;
  expect({ read_retries, retry_first_wait_ms, retry_longest_wait_ms }).toEqual({
    read_retries: 2,
    retry_first_wait_ms: 500,
    retry_longest_wait_ms: 5_000,
  });
});

describe("error codes", () => {
  test("are the 27 of the specification, with its categories and retry flags", () => {
    const rows = Object.entries(errors.rows).map(([code, row]) => [code, row.category, row.retryable]);
    expect(rows).toEqual(specifiedErrors);
    expect(specifiedErrors).toHaveLength(27);
  });

  test("are written in snake case", () => {
    for (const code of Object.keys(errors.rows)) expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  test("that may be retried are the seven of the specification", () => {
    const retryable = Object.entries(errors.rows).flatMap(([code, row]) => (row.retryable ? [code] : []));
    expect(retryable.sort()).toEqual(
      [
        "x_rate_limited",
        "x_network_error",
        "x_api_error",
        "db_error",
        "llm_error",
        "thread_partial_failure",
        "policy_error",
      ].sort(),
    );
  });
});

describe("tools", () => {
  const { tools } = fullManifest();
  const entry = (name: string) =>
    tools.find((tool) => tool.name === name) ?? expect.fail(`${name} is not in the manifest.`);

  test.each(Object.entries(specifiedGroups))(
    "of the group %s have the category, mutation flag, lane and profiles of the specification",
    (_, group) => {
      for (const name of group.names) {
        const { category, mutation, lane, profiles: within } = entry(name);
        expect({ name, mutation, lane }).toEqual({ name, mutation: group.mutation, lane: group.lane });
        expect(group.categories, name).toContain(category);
        expect([...within].sort(), name).toEqual([...group.profiles].sort());
      }
    },
  );

  test.each(referenceCategories)("of the category %s are in write and admin", (_, names) => {
    for (const profile of ["write", "admin"] as const)
      expect(profileManifest(profile).tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining([...names]),
      );
  });

  test.each<readonly [tool: string, required: readonly string[], optional: readonly string[]]>([
    ["get_mode", [], []],
    ["compose_tweet", ["topic"], ["format"]],
    ["get_discovery_feed", [], ["limit", "min_score"]],
    ["suggest_topics", [], ["count"]],
  ])("%s has the specified parameters, and requires no others", (tool, required, optional) => {
    const { input_schema } = entry(tool);
    expect(input_schema.required ?? []).toEqual(required);
    const named = Object.keys(Object(input_schema.properties));
    expect(named).toEqual(expect.arrayContaining([...required, ...optional]));
    if (required.length + optional.length === 0) expect(named).toEqual([]);
  });

  test("have typed inputs: a strict object in which every parameter has a type", () => {
    for (const { name, input_schema } of tools) {
      expect(input_schema, name).toMatchObject({ type: "object", additionalProperties: false });
      for (const [parameter, schema] of Object.entries(Object(input_schema.properties)))
        expect(
          Object.keys(Object(schema)).some((key) => ["type", "enum", "anyOf", "$ref"].includes(key)),
          `${name} ${parameter}`,
        ).toBe(true);
    }
  });
});

describe("the manifest", () => {
  const PATH = "roadmap/artifacts/session-05-tool-manifest.json";
  const stored = readFileSync(new URL(`../../../../${PATH}`, import.meta.url), "utf8");
  const manifest: ReturnType<typeof fullManifest> = JSON.parse(stored);

  test("is at its specified path, as the declarations generate it", async () => {
    expect(stored).toBe((await generatedFiles())[PATH]);
  });

  test("has every tool of every profile once", () => {
    const served = profiles.flatMap((profile) => profileManifest(profile).tools.map(({ name }) => name));
    expect(manifest.tools.map(({ name }) => name)).toEqual([...new Set(served)].sort());
  });

  test("has the eight specified members for every tool, each of its type", () => {
    for (const tool of manifest.tools)
      expect(tool, tool.name).toMatchObject({
        name: expect.stringMatching(/^[a-z0-9_]+$/),
        category: expect.stringMatching(/^[a-z_]+$/),
        mutation: expect.any(Boolean),
        requires_x_client: expect.any(Boolean),
        requires_llm: expect.any(Boolean),
        requires_db: expect.any(Boolean),
        profiles: expect.any(Array),
        possible_error_codes: expect.any(Array),
      });
  });

  test("names only profiles that exist, and each tool in exactly those that serve it", () => {
    const served = profiles.map(
      (profile) => [profile, new Set(profileManifest(profile).tools.map(({ name }) => name))] as const,
    );
    for (const { name, profiles: named } of manifest.tools) {
      const serving = served.flatMap(([profile, names]) => (names.has(name) ? [profile] : []));
      expect([...named].sort(), name).toEqual([...serving].sort());
    }
  });

  test("names only error codes of the specification", () => {
    const codes = new Set(specifiedErrors.map(([code]) => code));
    for (const { name, possible_error_codes } of manifest.tools)
      expect(
        possible_error_codes.filter((code) => !codes.has(code)),
        name,
      ).toEqual([]);
  });

  test.each(profiles)("of %s says of each tool what it needs as its error codes do", (profile) => {
    for (const tool of profileManifest(profile).tools) {
      const can = (code: string) => tool.possible_error_codes.includes(code);
      const { name, requires_x_client, requires_llm, requires_db } = tool;
      expect({ name, requires_x_client, requires_llm, requires_db }).toEqual({
        name,
        requires_x_client: can("x_auth_expired"),
        requires_llm: can("llm_not_configured"),
        requires_db: can("db_error"),
      });
    }
  });

  test("says of every tool in which profiles it needs X and the database, as the manifests of the profiles do", () => {
    const ofProfiles = profiles.map((profile) => profileManifest(profile));
    for (const { name, requires_x_client_in, requires_db_in } of manifest.tools) {
      const needing = (member: "requires_x_client" | "requires_db") =>
        ofProfiles
          .filter(({ tools: served }) => served.some((tool) => tool.name === name && tool[member] === true))
          .map(({ profile }) => profile);
      expect({ name, requires_x_client_in, requires_db_in }).toEqual({
        name,
        requires_x_client_in: needing("requires_x_client"),
        requires_db_in: needing("requires_db"),
      });
    }
    const [post] = manifest.tools.filter(({ name }) => name === "x_post_tweet");
    expect(post).toMatchObject({ requires_db: false, requires_db_in: ["write", "admin"] });
  });

  test("of the utility profiles says of no tool, generated ones included, that it needs a database", () => {
    for (const profile of ["utility-readonly", "utility-write"] as const)
      for (const { name, lane, requires_db } of profileManifest(profile).tools)
        expect({ name, lane, requires_db }).toEqual({ name, lane: "shared", requires_db: false });
  });

  test("says of every analytics, approval, content, composite and context tool that it is a workflow tool", () => {
    const ofWorkflow = ["analytics", "approval", "content", "composite", "context"];
    const found = manifest.tools.filter(({ category }) => ofWorkflow.includes(category));
    expect(new Set(found.map(({ category }) => category))).toEqual(new Set(ofWorkflow));
    for (const { name, lane } of found) expect({ name, lane }).toEqual({ name, lane: "workflow" });
  });
});

test.each(["readonly", "api-readonly", "utility-readonly", "utility-write"] as const)(
  "no tool of %s needs a database or a language model",
  (profile) => {
    for (const { name, requires_db, requires_llm } of profileManifest(profile).tools)
      expect({ name, requires_db, requires_llm }).toEqual({ name, requires_db: false, requires_llm: false });
  },
);

test.each(["utility-readonly", "utility-write"] as const)(
  "no guard but the deadline and the guard of recent calls runs in front of a tool of %s",
  (profile) => {
    for (const tool of catalogFor(profile).tools) {
      const { guards } = stackOf(profile, tool);
      expect(
        guards.filter((guard) => guard !== "deadline" && guard !== "recent calls"),
        tool.name,
      ).toEqual([]);
    }
  },
);
