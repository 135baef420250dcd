import { xHosts } from "@toolpact/x-api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusedRequest } from "./request.ts";

const fine = { host: "api.x.com", path: "/2/users/me", headers: [] };

it("lets requests to X's own hosts pass", () => {
  for (const host of xHosts) expect(refusedRequest({ ...fine, host })).toBeUndefined();
  const headers = [{ key: "x-csrf", value: "1" }];
  expect(refusedRequest({ ...fine, headers })).toBeUndefined();
  expect(refusedRequest({ ...fine, path: "/2/tweets/search/recent" })).toBeUndefined();
});

describe("refuses", () => {
  it.each([
    "example.com",
    "api.x.com.example.com",
    "evil.api.x.com",
    "API.X.COM",
    "api.x.com:8443",
    "user@api.x.com",
    "127.0.0.1",
    "[::1]",
    "::1",
    "2130706433",
    "0x7f.1",
    "localhost",
    "",
  ])("the host %j", (host) => expect(refusedRequest({ ...fine, host })).toMatch(/^The host/));

  it.each([
    "",
    "2/users/me",
    "//evil.example/2",
    "/2/../1.1/x.json",
    "/2/..",
    "/2/./users",
    "/2/%2e%2e/x",
    "/2/%2E./x",
    "/2/a%2f..%2fb",
    "/2/users?id=1",
    "/2/users#x",
    "/2/users me",
    "/2/users\r\nHost: evil",
    "/2/us\u0000ers",
    "/2\\..\\x",
    "/2/users/1/%6cikes",
    "/2/tweets/",
    "/2//tweets",
    "/2/é",
  ])("the path %j", (path) => expect(refusedRequest({ ...fine, path })).toMatch(/^The path/));

  it.each([
    "Authorization",
    "host",
    "Cookie",
    "SET-COOKIE",
    "transfer-encoding",
    "Proxy-Authorization",
    "proxy-connection",
  ])("the header %s", (key) =>
    expect(refusedRequest({ ...fine, headers: [{ key, value: "x" }] })).toMatch(/^The header/),
  );

  it.each(["", "a b", "a:b", "a\r\nb"])("the header name %j", (key) =>
    expect(refusedRequest({ ...fine, headers: [{ key, value: "x" }] })).toMatch(/^A header/),
  );

  it.each(["a\r\nb: c", "a\u0000", "é"])("the header value %j", (value) =>
    expect(refusedRequest({ ...fine, headers: [{ key: "x-a", value }] })).toMatch(/^A header/),
  );
});

it("lets no path pass that a URL would lead elsewhere", () => {
  const piece = fc.constantFrom(
    "/",
    ".",
    "..",
    "%2e",
    "%2F",
    "%5c",
    "a",
    "2",
    "users",
    "\\",
    "?",
    "#",
    " ",
    "é",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const path = `/${pieces.join("")}`;
      if (refusedRequest({ ...fine, path }) !== undefined) return;
      const url = new URL(`https://api.x.com${path}`);
      expect(url.host).toBe("api.x.com");
      expect(url.pathname).toBe(path);
      expect(url.search + url.hash).toBe("");
    }),
    { numRuns: 1000 },
  );
});
