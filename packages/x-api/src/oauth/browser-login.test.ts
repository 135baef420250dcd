import { createServer } from "node:net";
import { expect, test } from "vitest";
import { heldClock } from "../../test/doubles.ts";
import { FakeTokenEndpoint, fetchFrom } from "../../test/oauth-token-server.ts";
import { loginInBrowser } from "./browser-login.ts";

const app = { clientId: "an-app", redirectUri: "http://127.0.0.1:0/callback" };

function signIn(answer: (redirectUri: string, state: string) => Promise<void>) {
  const endpoint = new FakeTokenEndpoint();
  let visit: Promise<void> = Promise.resolve();
  const outcome = loginInBrowser(app, {
    scopes: ["offline.access"],
    fetch: fetchFrom(endpoint),
    clock: heldClock(),
    show: (url) => {
      const { searchParams } = new URL(url);
      visit = answer(searchParams.get("redirect_uri") ?? "", searchParams.get("state") ?? "");
    },
  });
  return { endpoint, outcome: outcome.finally(() => visit) };
}

test("the sign-in accepts only the browser that X redirected back", async () => {
  const seen: [number, string][] = [];
  const visit = async (address: string, method = "GET") => {
    const response = await fetch(address, { method });
    seen.push([response.status, await response.text()]);
  };
  const { endpoint, outcome } = signIn(async (redirectUri, state) => {
    await visit(`${redirectUri}?code=stolen-code&state=guessed`);
    await visit(`${redirectUri}?code=stolen-code`);
    await visit(new URL("/favicon.ico", redirectUri).href);
    await visit(`${new URL(redirectUri).origin}//`);
    await visit(`${redirectUri}?code=stolen-code&state=${state}`, "POST");
    await visit(`${redirectUri}?code=good-code&state=${state}`);
  });
  const grant = await outcome;
  expect(grant.ok && grant.value.accessToken.reveal()).toBe(endpoint.accessToken);
  expect(seen.map(([status]) => status)).toEqual([400, 400, 404, 404, 404, 200]);
  expect(seen.at(-1)?.[1]).toContain("You are signed in to X");
  expect(endpoint.requests.map(({ form }) => form.get("code"))).toEqual(["good-code"]);
});

test("the sign-in reports that the user declined", async () => {
  const { outcome } = signIn(async (redirectUri, state) => {
    const page = await fetch(`${redirectUri}?error=access_denied&state=${state}`);
    expect(await page.text()).toContain("not allowed");
  });
  expect(await outcome).toMatchObject({ ok: false, failure: { kind: "denied" } });
});

test("waits no longer than the limit, and not after the caller aborts", async () => {
  const clock = heldClock(undefined, true);
  const options = { scopes: [], show: () => undefined };
  expect(await loginInBrowser(app, { ...options, clock, patienceMs: 60_000 })).toMatchObject({
    failure: { kind: "network", cause: "timeout" },
  });
  expect(clock.waits).toEqual([60_000]);
  expect(
    await loginInBrowser(app, { ...options, clock: heldClock(), signal: AbortSignal.abort() }),
  ).toMatchObject({
    failure: { kind: "network", cause: "aborted" },
  });
});

test("listens on loopback only, and reports failure", async () => {
  const options = { scopes: [], show: () => undefined };
  for (const redirectUri of ["https://127.0.0.1:1/callback", "http://example.com/callback", "callback"]) {
    expect(await loginInBrowser({ ...app, redirectUri }, options)).toMatchObject({
      failure: { kind: "callback_unavailable" },
    });
  }
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const address = taken.address();
  const port = typeof address === "object" ? address?.port : undefined;
  expect(
    await loginInBrowser({ ...app, redirectUri: `http://127.0.0.1:${port}/callback` }, options),
  ).toMatchObject({
    failure: { kind: "callback_unavailable", message: expect.stringContaining("in use by another program") },
  });
  taken.close();
});
