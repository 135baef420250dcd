import { stat } from "node:fs/promises";
import { join } from "node:path";
import { finishLogin, mayHaveTakenEffect } from "@toolpact/x-api";
import { beforeEach, describe, expect, test } from "vitest";
import { cast, type FaultRequest } from "../../src/index.ts";
import { failureOf, places, type SignedIn, signedIn } from "./signed-in.ts";

const hour = 3_600_000;

describe.each(places)("signing in with the client, %s", (where) => {
  let x: SignedIn;
  beforeEach(async () => {
    x = await signedIn(where);
  });

  test("leads through PKCE to tokens in a private file, and a code works once", async () => {
    expect(((await stat(join(x.folder, "tokens.json"))).mode & 0o777).toString(8)).toBe("600");
    expect(await x.client.call("getUsersMe")).toMatchObject({
      ok: true,
      value: { data: { id: x.owner.id, username: cast.owner } },
    });
    const { pending, redirectTo } = await x.consent();
    const foreign = redirectTo.replace(/state=[^&]+/, "state=foreign");
    expect((await finishLogin(pending, foreign, x.surroundings)).ok).toBe(false);
    expect((await finishLogin(pending, redirectTo, x.surroundings)).ok).toBe(true);
    expect(await finishLogin(pending, redirectTo, x.surroundings)).toMatchObject({
      ok: false,
      failure: { kind: "invalid_grant" },
    });
  });

  test("lasts: the token is refreshed when it expires, and after a 401", async () => {
    x.sandbox.clock.advance(2 * hour);
    expect((await x.client.call("getUsersMe")).ok).toBe(true);
    expect(x.requests("oauth2.token")).toBe(2);
    x.sandbox.faults.add({ operation: "createPosts", kind: "unauthorized" });
    expect((await x.post("Hello")).ok).toBe(true);
    expect(x.requests("oauth2.token")).toBe(3);
    expect(x.sandbox.journal.of("createPosts").map(({ status }) => status)).toEqual([401, 201]);
  });

  test("ends when a refresh is rejected, and reports it", async () => {
    x.sandbox.signIn();
    x.sandbox.clock.advance(2 * hour);
    expect(await failureOf(x.client.call("getUsersMe"))).toMatchObject({ kind: "auth_expired" });
  });

  test.each<FaultRequest>([
    { operation: "oauth2.token", kind: "error" },
    { operation: "oauth2.token", kind: "drop", when: "before" },
  ])("that cannot be refreshed for now leaves no doubt about a write: $kind", async (fault) => {
    x.sandbox.clock.advance(2 * hour);
    x.sandbox.faults.add(fault);
    const failure = await failureOf(x.post("Never sent"));
    expect(mayHaveTakenEffect(failure)).toBe(false);
    expect(x.requests("createPosts")).toBe(0);
    expect((await x.post("Sent now")).ok).toBe(true);
  });

  test("ends with signing out", async () => {
    expect(await x.keeper.signOut()).toMatchObject({ ok: true, value: { revoked: true } });
    expect(await failureOf(x.client.call("getUsersMe"))).toMatchObject({ kind: "not_configured" });
  });
});
