import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { loopback } from "../../test/loopback.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { issuerKeys } from "./oauth.ts";

async function metadataAt(...paths: string[]) {
  const asked: string[] = [];
  const server = await loopback((path) => {
    asked.push(path);
    return paths.includes(path) ? { issuer: `${server.url}/tenant`, jwks_uri: `${server.url}/keys` } : {};
  });
  onTestFinished(server.close);
  return { issuer: `${server.url}/tenant`, asked, paths };
}

test.each([
  "/.well-known/oauth-authorization-server/tenant",
  "/tenant/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration/tenant",
  "/tenant/.well-known/openid-configuration",
])("metadata is found at %s", async (path) => {
  const { issuer, asked } = await metadataAt(path);
  expect(await issuerKeys(issuer)()).toMatchObject({ ok: true });
  expect(asked.at(-1)).toBe(path);
});

test.each([
  "http://169.254.169.254/latest/keys",
  "http://[::ffff:a9fe:a9fe]/keys",
  "http://localhost:1/keys",
  "http://metadata.internal/keys",
  "file:///etc/passwd",
])("keys at %s are not fetched", async (jwks_uri) => {
  const server = await loopback(() => ({ issuer: server.url, jwks_uri }));
  onTestFinished(server.close);
  expect(await issuerKeys(server.url)()).toMatchObject({
    ok: false,
    failure: expect.stringContaining("neither https nor at the issuer"),
  });
});

test("metadata that redirects is not followed", async () => {
  const { asked, paths, issuer } = await metadataAt("/.well-known/oauth-authorization-server/tenant");
  const redirecting = createServer((_, response) => {
    response.writeHead(302, { location: `${new URL(issuer).origin}${paths[0]}` }).end();
  });
  await new Promise<void>((resolve) => redirecting.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void redirecting.close());
  const { port } = redirecting.address() as AddressInfo;
  expect(await issuerKeys(`http://127.0.0.1:${port}/tenant`)()).toMatchObject({ ok: false });
  expect(asked).toEqual([]);
});

test("those who come together share one search, and what was found is kept", async () => {
  const { issuer, asked } = await metadataAt("/.well-known/oauth-authorization-server/tenant");
  const keys = issuerKeys(issuer);
  const [one, other] = await Promise.all([keys(), keys()]);
  expect(one).toBe(other);
  expect(await keys()).toBe(one);
  expect(asked).toHaveLength(1);
});

test("after a failed search nobody searches for five seconds", async () => {
  const { issuer, asked, paths } = await metadataAt();
  const clock = new FakeClock();
  const keys = issuerKeys(issuer, () => clock.now());
  expect(await keys()).toMatchObject({
    ok: false,
    failure: expect.stringContaining("it is not this issuer's"),
  });
  paths.push("/.well-known/oauth-authorization-server/tenant");
  clock.advance(4_999);
  expect(await keys()).toMatchObject({ ok: false });
  expect(asked).toHaveLength(4);
  clock.advance(1);
  expect(await keys()).toMatchObject({ ok: true });
});
