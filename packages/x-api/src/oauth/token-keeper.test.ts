import { access, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type HeldClock, heldClock } from "../../test/doubles.ts";
import { FakeTokenEndpoint, fetchFrom } from "../../test/oauth-token-server.ts";
import { Secret } from "./token-file.ts";
import { TokenKeeper } from "./token-keeper.ts";

const app = { clientId: "an-app", redirectUri: "http://127.0.0.1:8400/callback" };
const TWO_HOURS = 7_200_000;

let folder: string;
let endpoint: FakeTokenEndpoint;
let clock: HeldClock;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "x-api-keeper-"));
  endpoint = new FakeTokenEndpoint();
  clock = heldClock();
});
afterEach(() => rm(folder, { recursive: true }));

/** One process; all share the file. */
function keeper(fetch = fetchFrom(endpoint), onEnded?: (message: string) => void): TokenKeeper {
  return new TokenKeeper({
    ...(onEnded && { onEnded }),
    app,
    path: join(folder, "tokens.json"),
    appToken: new Secret("app-token"),
    loginCommand: "tuitbot auth login",
    fetch,
    clock,
  });
}

async function signedIn(): Promise<TokenKeeper> {
  const one = keeper();
  const grant = {
    accessToken: new Secret(endpoint.accessToken),
    refreshToken: new Secret(endpoint.refreshToken),
    expiresAt: clock.now() + TWO_HOURS,
    scopes: ["offline.access"],
  };
  expect(await one.signIn(grant)).toEqual({ ok: true, value: undefined });
  return one;
}

const valid = () => ({ ok: true, value: endpoint.accessToken });

describe("a token", () => {
  test("is missing before anybody signs in; the app's own exists", async () => {
    expect(await keeper().userToken()).toEqual({ ok: false, failure: "none" });
    expect(await keeper().appToken()).toEqual({ ok: true, value: "app-token" });
    expect(await keeper().rejected("app-token", "app")).toEqual({ ok: false, failure: "none" });
    const bare = new TokenKeeper({ path: join(folder, "none.json"), loginCommand: "login" });
    expect(await bare.appToken()).toEqual({ ok: false, failure: "none" });
  });

  test("is reused while valid, by this process and the next", async () => {
    const one = await signedIn();
    clock.advance(TWO_HOURS - 121_000);
    expect(await one.userToken()).toEqual(valid());
    expect(await keeper().userToken()).toEqual(valid());
    expect(endpoint.requests).toEqual([]);
  });

  test("is refreshed before it expires, once for all callers", async () => {
    const one = await signedIn();
    clock.advance(TWO_HOURS - 119_000);
    const tokens = await Promise.all([one.userToken(), one.userToken(), one.userToken()]);
    expect(endpoint.refreshes).toBe(1);
    expect(tokens).toEqual([valid(), valid(), valid()]);
    expect(await keeper().userToken()).toEqual(valid());
    expect(endpoint.refreshes).toBe(1);
  });

  test("refreshed by another process is read from the file", async () => {
    const [one, other] = [await signedIn(), keeper()];
    await other.userToken();
    clock.advance(TWO_HOURS);
    await one.userToken();
    expect(await other.userToken()).toEqual(valid());
    expect(endpoint.refreshes).toBe(1);
  });

  test("belongs to the last sign-in, also one of another process", async () => {
    const [one, other] = [await signedIn(), keeper()];
    expect(await one.userToken()).toEqual(valid());
    const expiresAt = clock.now() + TWO_HOURS;
    await other.signIn({ accessToken: new Secret("another-account"), expiresAt, scopes: [] });
    expect(await one.userToken()).toEqual({ ok: true, value: "another-account" });
    await other.signOut();
    expect(await one.userToken()).toEqual({ ok: false, failure: "none" });
  });

  test("stays wrapped when printed", async () => {
    const one = await signedIn();
    const shown =
      inspect([one, await one.grant()], { depth: 9, showHidden: true }) + JSON.stringify(await one.grant());
    expect(shown).not.toMatch(/access-\d|refresh-\d|app-token/);
  });
});

describe("X rejects a token", () => {
  test("because another process has refreshed: the newer one is in the file", async () => {
    const [one, other] = [await signedIn(), keeper()];
    const old = endpoint.accessToken;
    clock.advance(TWO_HOURS);
    await other.userToken();
    expect(await one.rejected(old, "user")).toEqual(valid());
    expect(endpoint.refreshes).toBe(1);
  });

  test("before its expiry: it is refreshed", async () => {
    const one = await signedIn();
    expect(await one.rejected(endpoint.accessToken, "user")).toEqual(valid());
    expect(endpoint.refreshes).toBe(1);
  });

  test("permanently: only a new sign-in helps, and the message says so", async () => {
    const one = await signedIn();
    endpoint.isRevoked = true;
    const outcome = await one.rejected(endpoint.accessToken, "user");
    expect(outcome).toEqual({
      ok: false,
      failure: { kind: "auth_expired", message: "The sign-in to X has ended. Run `tuitbot auth login`." },
    });
  });

  test("after somebody else signed out", async () => {
    const [one, other] = [await signedIn(), keeper()];
    const token = await one.userToken();
    await other.signOut();
    expect(token.ok && (await one.rejected(token.value, "user"))).toMatchObject({
      failure: { kind: "auth_expired" },
    });
  });
});

describe("a refresh that fails", () => {
  test("early is harmless, and is not retried immediately", async () => {
    const one = await signedIn();
    clock.advance(TWO_HOURS - 60_000);
    endpoint.faults.push("server error");
    expect(await one.userToken()).toEqual(valid());
    expect(await one.userToken()).toEqual(valid());
    expect(endpoint.requests).toHaveLength(1);
    clock.advance(20_000);
    expect(await one.userToken()).toEqual(valid());
    expect(endpoint.refreshes).toBe(1);
  });

  test("after expiry is reported, and retried at the next call", async () => {
    const one = await signedIn();
    clock.advance(TWO_HOURS);
    endpoint.faults.push("server error", "drop before");
    expect(await one.userToken()).toMatchObject({ failure: { kind: "server_error", unsent: true } });
    expect(await one.userToken()).toMatchObject({ failure: { kind: "network", ambiguous: false } });
    expect(await one.userToken()).toEqual(valid());
  });

  test("with a lost answer has used up the refresh token and requires a new sign-in", async () => {
    const one = await signedIn();
    clock.advance(TWO_HOURS);
    endpoint.faults.push("drop after");
    expect(await one.userToken()).toMatchObject({ failure: { kind: "network" } });
    expect(await one.userToken()).toMatchObject({ failure: { kind: "auth_expired" } });
    expect(endpoint.requests).toHaveLength(2);
  });

  test("to reach the disk means the new token is not used", async () => {
    await signedIn();
    clock.advance(TWO_HOURS);
    const path = join(folder, "tokens.json");
    // A folder replaces the file while X answers.
    const blocking: typeof globalThis.fetch = async (input, init) => {
      const answer = await fetchFrom(endpoint)(input, init);
      await rename(path, `${path}.kept`);
      await mkdir(join(path, "in the way"), { recursive: true });
      return answer;
    };
    const one = keeper(blocking);
    expect(await one.userToken()).toMatchObject({ failure: { kind: "not_configured" } });
    await rm(path, { recursive: true });
    await rename(`${path}.kept`, path);
    expect(await one.userToken()).toEqual(valid());
    expect(await keeper().userToken()).toEqual(valid());
    expect(endpoint).toMatchObject({ refreshes: 1, reuses: 0 });
  });

  test("for one aborted caller continues for the others", async () => {
    const one = await signedIn();
    clock.advance(TWO_HOURS);
    const abort = new AbortController();
    const [given, kept] = [one.userToken(abort.signal), one.userToken()];
    abort.abort();
    expect(await given).toMatchObject({ failure: { kind: "network", cause: "aborted" } });
    expect(await kept).toEqual(valid());
    expect(endpoint.refreshes).toBe(1);
  });
});

describe("a refresh interrupted by a crash", () => {
  const mark = () => join(folder, "tokens.json.renewing");
  const isMarked = () =>
    access(mark()).then(
      () => true,
      () => false,
    );

  test("is recorded before the request, and cleared when the tokens are stored", async () => {
    await signedIn();
    clock.advance(TWO_HOURS);
    const seen: boolean[] = [];
    const answering = fetchFrom(endpoint);
    const one = keeper(async (input, init) => {
      seen.push(await isMarked());
      return answering(input, init);
    });
    expect(await one.userToken()).toEqual(valid());
    expect([seen, await isMarked()]).toEqual([[true], false]);
  });

  test("is named as the cause if X no longer accepts the refresh token", async () => {
    await signedIn();
    clock.advance(TWO_HOURS);
    // The process died before it stored X's answer.
    await fetchFrom(endpoint)("https://api.x.com/2/oauth2/token", {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: endpoint.refreshToken,
        client_id: app.clientId,
      }),
    });
    await writeFile(mark(), "");
    expect(await keeper().userToken()).toMatchObject({
      failure: { kind: "auth_expired", message: expect.stringMatching(/lost.*renewed.*tuitbot auth login/) },
    });
    const messages: string[] = [];
    const other = keeper(undefined, (message) => messages.push(message));
    for (let times = 0; times < 3; times++) await other.userToken();
    expect(messages).toEqual([expect.stringContaining("was lost")]);
    await (await signedIn()).signOut();
    expect(await isMarked()).toBe(false);
  });

  test("does not start if new tokens could not be stored", async () => {
    await signedIn();
    clock.advance(TWO_HOURS);
    await mkdir(mark());
    expect(await keeper().userToken()).toMatchObject({ ok: false, failure: { kind: "not_configured" } });
    expect(endpoint.requests).toEqual([]);
  });
});

describe("signing out", () => {
  test("deletes the tokens here and revokes them at X", async () => {
    const one = await signedIn();
    expect(await one.signOut()).toEqual({ ok: true, value: { revoked: true } });
    expect(endpoint.requests.map(({ path, form }) => [path, form.get("token")])).toEqual([
      ["/2/oauth2/revoke", "refresh-2"],
      ["/2/oauth2/revoke", "access-1"],
    ]);
    expect(await one.userToken()).toEqual({ ok: false, failure: "none" });
    expect(await keeper().userToken()).toEqual({ ok: false, failure: "none" });
  });

  test("deletes them here even if X is unreachable", async () => {
    const one = await signedIn();
    endpoint.faults.push("server error", "server error");
    expect(await one.signOut()).toEqual({ ok: true, value: { revoked: false } });
    expect(await one.userToken()).toEqual({ ok: false, failure: "none" });
  });
});

test("a sign-in without offline.access lasts as long as its only token", async () => {
  const one = keeper();
  const expiresAt = clock.now() + TWO_HOURS;
  await one.signIn({ accessToken: new Secret(endpoint.accessToken), expiresAt, scopes: [] });
  clock.advance(TWO_HOURS - 1);
  expect(await one.userToken()).toEqual(valid());
  clock.advance(1);
  expect(await one.userToken()).toMatchObject({ failure: { kind: "auth_expired" } });
  expect(endpoint.requests).toEqual([]);
});

test("a file that is not ours is reported, not overwritten", async () => {
  await writeFile(join(folder, "tokens.json"), "hello");
  expect(await keeper().userToken()).toMatchObject({ failure: { kind: "not_configured" } });
  expect(await keeper().rejected("x", "user")).toMatchObject({ failure: { kind: "not_configured" } });
});
