import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { notesApp } from "../../test/notes-product.ts";
import { createHttpHandler } from "./http-handler.ts";
import type { HttpHandlerOptions } from "./http-options.ts";
import { startPageExtension } from "./start-page.ts";

const page = (url: string) => ({
  title: "Notes <live>",
  lead: "A server & its page.",
  steps: [
    { title: "Connect", copy: `connect "${url}"`, note: "with the token" },
    { title: "Ask", copy: "Hello" },
  ],
});
const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8", host: "localhost:3001" };

function asked(path: string, init: RequestInit = {}, options: HttpHandlerOptions = {}): Promise<Response> {
  const { app } = notesApp();
  const { fetch } = createHttpHandler(app, {
    token: "a-long-and-secret-token",
    extension: startPageExtension(page),
    ...options,
  });
  return fetch(new Request(`http://localhost:3001${path}`, { headers: browser, ...init }));
}

describe("a browser at /", () => {
  test("sees what the server is and what to do, without the token", async () => {
    const response = await asked("/");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const html = await response.text();
    expect(html).toContain("<h1>Notes &#60;live&#62;</h1>");
    expect(html).toContain("connect &#34;http://localhost:3001/mcp&#34;");
    expect(html).not.toContain("secret-token");
  });

  test("may load nothing, run nothing and be framed by nobody; its own style is all that counts", async () => {
    const response = await asked("/");
    const html = await response.text();
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(response.headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(html).not.toMatch(/<script|<link|<img|@import|url\(|\ssrc=|\shref=|\sstyle=/);
    expect(style).toContain("prefers-color-scheme:dark");
  });

  test("cannot put anything into the page by the name it calls the server", async () => {
    const { fetch } = createHttpHandler(notesApp().app, {
      token: "a-long-and-secret-token",
      extension: startPageExtension(page),
    });
    const name = "a'onload=x";
    const request = new Request(`http://${name}/`, { headers: { ...browser, host: name } });
    const html = await (await fetch(request)).text();
    expect(html).toContain("a&#39;onload=x/mcp");
    expect(html).not.toContain(name);
  });

  test.each([
    ["a foreign page", "/", { headers: { ...browser, origin: "https://evil.example" } }, 403],
    ["a foreign name", "/", { headers: { ...browser, host: "evil.example" } }, 403],
    ["a program", "/", { headers: { host: "localhost", accept: "application/json" } }, 404],
    ["another path", "/notes", {}, 404],
    ["another method", "/", { method: "POST" }, 404],
    ["the server itself, without the token", "/mcp", {}, 401],
  ] as const)("is no way in: %s gets what it got before", async (_who, path, init, status) => {
    expect((await asked(path, init, { allowedHosts: ["localhost"] })).status).toBe(status);
  });

  test("sees nothing where a server has no page", async () => {
    const { fetch } = createHttpHandler(notesApp().app, {});
    expect((await fetch(new Request("http://localhost:3001/", { headers: browser }))).status).toBe(404);
  });
});
