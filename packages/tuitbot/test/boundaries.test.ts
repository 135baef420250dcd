import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Profile, profiles } from "../src/profiles.ts";
import { generatedFiles } from "../src/server/generate.ts";
import { fullManifest, profileManifest } from "../src/server/manifest.ts";
import { removedTools } from "../src/tools/x/removed.ts";
import { type LiveServer, serveLive } from "./live-server.ts";
import { exactSets, floors, universal } from "./profile-sets.ts";

/** The tools of each profile: names from a live `tools/list` over stdio. */
const live = new Map<Profile, { readonly server: LiveServer; readonly names: readonly string[] }>();

beforeAll(async () => {
  for (const profile of profiles) {
    const server = await serveLive(["--sandbox", "--profile", profile]);
    const { tools } = await server.client.listTools();
    live.set(profile, { server, names: tools.map(({ name }) => name) });
  }
}, 120_000);

afterAll(async () => {
  await Promise.all([...live.values()].map(({ server }) => server.close()));
});

function names(profile: Profile): readonly string[] {
  return live.get(profile)?.names ?? [];
}

/** The manifest's word on each tool that the live server lists. */
function entries(profile: Profile) {
  const { tools } = profileManifest(profile);
  return names(profile).map((name) => {
    const entry = tools.find((tool) => tool.name === name);
    if (entry === undefined) throw new Error(`${name} is served and not in the manifest.`);
    return entry;
  });
}

function namesWhere(profile: Profile, is: (entry: ReturnType<typeof entries>[number]) => boolean): string[] {
  return entries(profile)
    .filter(is)
    .map(({ name }) => name);
}

test("utility_readonly_contains_no_workflow_tools", () => {
  expect(namesWhere("utility-readonly", ({ lane }) => lane === "workflow")).toEqual([]);
  expect(names("utility-readonly")).not.toEqual([]);
});

test("utility_write_contains_no_workflow_tools", () => {
  expect(namesWhere("utility-write", ({ lane }) => lane === "workflow")).toEqual([]);
  expect(names("utility-write")).not.toEqual([]);
});

test("utility_profiles_require_no_db_or_llm", () => {
  for (const profile of ["utility-readonly", "utility-write"] as const)
    expect(namesWhere(profile, (entry) => entry.requires_db === true || entry.requires_llm === true)).toEqual(
      [],
    );
});

test("utility_readonly_contains_no_mutations", () => {
  expect(namesWhere("utility-readonly", ({ mutation }) => mutation)).toEqual([]);
});

test("utility_profile_tool_counts", () => {
  expect(names("utility-readonly").length).toBeGreaterThanOrEqual(10);
  expect(names("utility-write").length).toBeGreaterThan(names("utility-readonly").length);
});

test("utility_write_is_superset_of_utility_readonly_tools", () => {
  expect(names("utility-write")).toEqual(expect.arrayContaining([...names("utility-readonly")]));
});

test("write_utility_manifests", async () => {
  const files = await generatedFiles();
  for (const profile of profiles) {
    const path = `docs/generated/mcp-manifest-${profile}.json`;
    expect(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"), path).toBe(files[path]);
    const manifest = JSON.parse(files[path] ?? "");
    expect(manifest.tools.map((tool: { name: string }) => tool.name)).toEqual(names(profile));
  }
});

/** Tools for what X has taken out of its API: they only say so. */
const removed = new Set(removedTools.map(({ name }) => name));

describe("the sets", () => {
  test.each(Object.entries(exactSets))("%s is exact, name by name", (profile, set) => {
    expect([...names(profile as Profile)]).toEqual([...set].sort());
  });

  test("their sizes are the specification's", () => {
    const sizes = Object.entries(exactSets).map(([profile, set]) => [profile, new Set(set).size]);
    expect(Object.fromEntries(sizes)).toEqual({
      readonly: 10,
      "api-readonly": 20,
      "utility-readonly": 15,
      "utility-write": 67,
    });
  });

  test.each(Object.entries(floors))("%s has all that needs only X", (profile, floor) => {
    expect(names(profile as Profile)).toEqual(expect.arrayContaining([...floor]));
  });

  test("write is every typed tool, and admin those and the universal requests", () => {
    const all = fullManifest().tools.map(({ name }) => name);
    expect(names("admin")).toEqual(all);
    expect(names("write")).toEqual(all.filter((name) => !universal.includes(name)));
  });

  test("each contains the smaller ones", () => {
    const inside = (small: Profile, large: Profile) =>
      expect(names(large), `${small} in ${large}`).toEqual(expect.arrayContaining([...names(small)]));
    inside("readonly", "api-readonly");
    inside("api-readonly", "write");
    inside("utility-write", "write");
    inside("write", "admin");
  });

  test("profiles that only look change nothing and need nobody's permission", () => {
    for (const profile of ["readonly", "api-readonly", "utility-readonly"] as const) {
      expect(namesWhere(profile, ({ mutation }) => mutation)).toEqual([]);
      expect(
        namesWhere(profile, (entry) => entry.possible_error_codes.some((code) => code.startsWith("policy_"))),
      ).toEqual([]);
    }
  });

  test("every tool is in a profile, and what changes something needs X or a database", () => {
    for (const tool of fullManifest().tools) {
      expect(tool.profiles.length, tool.name).toBeGreaterThan(0);
      if (tool.mutation && !removed.has(tool.name))
        expect(tool.requires_x_client || tool.requires_db, tool.name).toBe(true);
    }
  });
});

describe("metadata", () => {
  test.each(["write", "admin"] as const)("%s always says mode and approval", async (profile) => {
    for (const envelope of await someAnswers(profile))
      expect(envelope.meta).toMatchObject({
        tool_version: "1.0",
        elapsed_ms: expect.any(Number),
        mode: "autopilot",
        approval_mode: true,
      });
  });

  test.each(["readonly", "api-readonly"] as const)(
    "%s says how long it took and nothing of mode",
    async (profile) => {
      for (const { meta } of await someAnswers(profile)) {
        expect(meta).toMatchObject({ tool_version: "1.0", elapsed_ms: expect.any(Number) });
        expect(meta).not.toHaveProperty("mode");
        expect(meta).not.toHaveProperty("approval_mode");
      }
    },
  );

  test.each(["utility-readonly", "utility-write"] as const)(
    "%s never says how long it took",
    async (profile) => {
      for (const { meta = {} } of await someAnswers(profile))
        for (const member of ["elapsed_ms", "mode", "approval_mode", "cost"])
          expect(meta).not.toHaveProperty(member);
    },
  );

  test("the cost of a call is reported where metadata is", async () => {
    const answer = await live
      .get("readonly")
      ?.server.call("x_get_user_by_username", { username: "sandbox_friend" });
    expect(answer?.meta?.cost).toEqual({ estimated_usd: expect.any(Number) });
  });
});

/** A success from a tool of ours, a success from X, and a refusal. */
async function someAnswers(profile: Profile) {
  const server = live.get(profile)?.server;
  if (server === undefined) throw new Error(`${profile} is not served.`);
  const config = await server.call("get_config");
  const friend = await server.call("x_get_user_by_username", { username: "sandbox_friend" });
  const refused = await server.call("get_tweet_by_id", { tweet_id: "not an id" });
  expect([config.success, friend.success, refused.success]).toEqual([true, true, false]);
  return [config, friend, refused];
}
