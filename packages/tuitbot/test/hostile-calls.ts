import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok } from "@toolpact/contract";
import { fuzz } from "@toolpact/contract/testing";
import { Sandbox } from "@toolpact/x-sandbox";
import { expect, onTestFinished } from "vitest";
import { configSchema } from "../src/config/schema.ts";
import { errors } from "../src/errors.ts";
import type { Profile } from "../src/profiles.ts";
import { profileManifest } from "../src/server/manifest.ts";
import { createServer } from "../src/server/server.ts";

/** Calls every tool of a profile with so many hostile arguments, and expects good answers and no change at X. Returns the number of calls. */
export async function callWithHostileArguments(profile: Profile, callsPerTool: number): Promise<number> {
  const { app, sandbox, bugs } = await server(profile);
  const { findings, calls } = await fuzz(app, {
    errors,
    manifest: profileManifest(profile),
    callsPerTool,
    patienceMs: 20_000,
  });
  expect(findings).toEqual([]);
  expect(bugs).toEqual([]);
  // With the default configuration a person is asked before anything is changed at X. `utility-write` has no policy.
  if (profile !== "utility-write") {
    const changes = sandbox.journal.entries.filter(
      ({ method, path }) => method !== "GET" && !path.includes("oauth2"),
    );
    expect(changes).toEqual([]);
  }
  return calls;
}

/** A server with the default configuration in this process, on a sandbox whose clock stands still. */
async function server(profile: Profile) {
  const home = mkdtempSync(join(tmpdir(), "tuitbot-hostile-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const sandbox = new Sandbox({ plan: "enterprise", size: { people: 12, posts: 30 } });
  let { accessToken, scopes } = sandbox.signIn();
  const bugs: string[] = [];
  const { app, close } = await createServer({
    profile,
    config: {
      values: configSchema.parse({ x_api: { plan: "enterprise" } }),
      file: undefined,
      fromEnvironment: [],
    },
    place: { env: {}, home, cwd: home },
    isStored: false,
    isSandbox: true,
    log: (message) => void bugs.push(message),
    account: async () => ({
      tokens: {
        userToken: async () => ok(accessToken),
        appToken: async () => ok(sandbox.app.bearerToken),
        rejected: async (token) => {
          if (token === accessToken) ({ accessToken, scopes } = sandbox.signIn());
          return ok(accessToken);
        },
      },
      signInId: async () => "one",
      scopes: () => scopes,
      access: { plan: sandbox.plan, isPremium: false },
      baseUrl: "https://api.x.com",
      fetch: sandbox.fetch,
      clock: { now: () => sandbox.clock.now(), after: () => () => {} },
      timeoutMs: 30_000,
    }),
  });
  onTestFinished(close);
  return { app, sandbox, bugs };
}
