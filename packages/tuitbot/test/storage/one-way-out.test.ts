import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { effectiveConfig } from "../../src/config/effective-config.ts";
import { configSchema } from "../../src/config/schema.ts";
import { catalogFor } from "../../src/server/catalog.ts";
import { createCore } from "../../src/server/core.ts";
import { sandboxWorld } from "../../src/x/sandbox-account.ts";
import type { X } from "../../src/x/x.ts";

const src = new URL("../../src/", import.meta.url).pathname;

interface Module {
  readonly path: string;
  readonly text: string;
  /** Names that it imports as values, with where they come from. */
  readonly imports: readonly { readonly name: string; readonly from: string }[];
  /** Modules of this package that it loads, at once or later. */
  readonly loads: readonly string[];
}

const modules: readonly Module[] = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => {
    const text = readFileSync(join(src, name), "utf8");
    const imports = valueImports(text);
    return { path: relative("", name), text, imports, loads: loadsOf(name, text, imports) };
  });

function valueImports(text: string): Module["imports"] {
  return [...text.matchAll(/^import (?!type )([^;]*?) from "([^"]+)";/gms)].flatMap(
    ([, names = "", from = ""]) =>
      names
        .replace(/[{}]/g, "")
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "" && !name.startsWith("type "))
        .map((name) => ({ name, from })),
  );
}

function loadsOf(name: string, text: string, imports: Module["imports"]): readonly string[] {
  const later = [...text.matchAll(/\bimport\("([^"]+)"\)/g)].map(([, from = ""]) => from);
  return [...imports.map(({ from }) => from), ...later]
    .filter((from) => from.startsWith("."))
    .map((from) => relative("", join(dirname(name), from)));
}

/** Every module that runs because of this one. */
function reachedFrom(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const next of modules.find((module) => module.path === path)?.loads ?? []) reachedFrom(next, seen);
  return seen;
}

/** Modules whose text names a thing at all, whichever way they came by it. */
function namersOf(name: string): readonly string[] {
  const word = new RegExp(`\\b${name}\\b`);
  return modules.filter(({ text }) => word.test(text)).map(({ path }) => path);
}

function importersOf(name: string): readonly string[] {
  return modules.filter(({ imports }) => imports.some((one) => one.name === name)).map(({ path }) => path);
}

test("one module makes everything that can send to X", () => {
  expect(importersOf("createXClient")).toEqual(["x/connect-x.ts"]);
  expect(importersOf("createRawSender")).toEqual(["x/connect-x.ts"]);
});

test("nothing else opens connections", () => {
  const network = /^(node:)?(http|https|http2|net|tls|dgram)$|^undici$/;
  // These only read the text of an address.
  const readers = new Set(["isIP", "isIPv4", "isIPv6"]);
  const openers = modules.filter(({ imports }) =>
    imports.some(({ from, name }) => network.test(from) && !readers.has(name)),
  );
  expect(openers.map(({ path }) => path)).toEqual([]);
  // The machine's own `fetch` comes in once, where the command line starts.
  const fetchers = modules.filter(({ text }) => /(?<!typeof )globalThis\.fetch/.test(text));
  expect(fetchers.map(({ path }) => path)).toEqual(["cli/start.ts"]);
});

test("tools reach X through their services alone", () => {
  const layers = /^(tools|x\/toolkit|approval|mutation|storage)\//;
  for (const { path, imports } of modules) {
    if (!layers.test(path)) continue;
    const around = imports.filter(({ from }) =>
      /\/(connect-x|signed-in-account|sandbox-account)\.ts$/.test(from),
    );
    expect(around, path).toEqual([]);
  }
});

describe("from the core of a server", () => {
  const reached = reachedFrom("server/core.ts");

  test("everything that a call can run is reached", () => {
    for (const path of [
      "guards/mutation/receipt.ts",
      "tools/x/write.ts",
      "storage/open-store.ts",
      "approval/release.ts",
    ])
      expect(reached, path).toContain(path);
  });

  test("X is connected in one place, and in profiles with receipts sends no write without a journal", () => {
    const connecting = [...reached].filter((path) => namersOf("connectX").includes(path)).sort();
    expect(connecting).toEqual(["server/core.ts", "x/connect-x.ts"]);
    const core = modules.find(({ path }) => path === "server/core.ts")?.text ?? "";
    expect(core.match(/connectX\(/g)).toHaveLength(1);
    expect(core).toMatch(
      /connectX\(account, \{[^}]*requireJournal: isWorkflow \|\| profile === "utility-write",/,
    );
    expect(namersOf("requireJournal").toSorted()).toEqual(["server/core.ts", "x/connect-x.ts"]);
  });

  test("only protect and the guard of recent calls pass a journal on, and only a release carries an approval", () => {
    expect(importersOf("Journal")).toEqual([]);
    for (const maker of ["runWithReceipt", "rebuildAnswer"])
      expect(importersOf(maker)).toEqual(["guards/mutation/receipt.ts"]);
    expect(modulesWith(/\bcontext: \{ journal\b/)).toEqual([
      "guards/mutation/protect.ts",
      "guards/stack/recent-calls.ts",
    ]);
    expect(modulesWith(/\bcontext: \{ release\b/)).toEqual(["server/core.ts"]);
    expect(modulesWith(/\brelease = \{/)).toEqual(["approval/release.ts"]);
    expect(modulesWith(/\bisOwnCall: true\b/)).toEqual(["server/core.ts"]);
  });

  function modulesWith(pattern: RegExp): readonly string[] {
    return modules.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  }

  test("other connections to X only read", () => {
    const others = namersOf("connectX").filter((path) => !reached.has(path));
    expect([...others].sort()).toEqual(["cli/doctor/check-x.ts", "cli/signed-in.ts"]);
    for (const path of others) {
      const { text = "" } = modules.find((module) => module.path === path) ?? {};
      const called = [...text.matchAll(/\.call(?:<[^(]*>)?\(\s*"(\w+)"/g)].map(([, operation]) => operation);
      expect(["getUsersMe", "getUsageCredits"], path).toEqual(expect.arrayContaining(called));
      expect(text, path).not.toMatch(/\.send\(/);
    }
  });
});

test.each(["write", "admin"] as const)(
  "around its guards %s sends nothing that changes X",
  async (profile) => {
    const { sandbox, account } = sandboxWorld("enterprise");
    const values = configSchema.parse({});
    const core = createCore({
      profile,
      catalog: catalogFor(profile),
      config: effectiveConfig(
        { values, file: undefined, fromEnvironment: [] },
        { env: {}, home: "/", cwd: "/" },
      ),
      account,
    });
    const { signal } = new AbortController();
    const resolved = await core.services.resolve(["x"], {}, signal);
    if (!resolved.ok) throw new Error(resolved.failure.message);
    // The service that resolving `x` returns is under its name.
    const { x } = resolved.value as { readonly x: X };
    const notSent = { ok: false, failure: { kind: "not_sent", reason: "no_journal" } };
    expect(await x.client.call("createPosts", { body: { text: "Around" } })).toMatchObject(notSent);
    const raw = { method: "POST", host: "api.x.com", path: "/2/tweets", query: [], headers: [] } as const;
    expect(await x.send({ ...raw, body: '{"text":"Around"}' })).toMatchObject(notSent);
    expect(await x.client.call("getUsersMe")).toMatchObject({ ok: true });
    expect(sandbox.journal.entries.map(({ operation }) => operation)).toEqual(["getUsersMe"]);
    await core.close();
  },
);
