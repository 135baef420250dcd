import { expect, test } from "vitest";
import { Browser, openConsent, signInWith } from "./browser.ts";
import { authorization, newClient, USER } from "./oauth-client.ts";
import { serveSignIn } from "./sign-in-server.ts";

test("a client's name cannot put markup, scripts or hidden direction marks on the page", async () => {
  const { origin } = await serveSignIn();
  const client_name = `</h1><script>alert(1)</script>\u202Egpj.exe${"x".repeat(500)}`;
  const client = await newClient(origin, { client_name });
  const { html, shown } = await openConsent(new Browser(), authorization(client).url);
  expect(html).not.toMatch(/<script|\u202E/);
  expect(html).toContain("&#60;script&#62;");
  expect(html).not.toContain("x".repeat(200));
  expect(html).toContain("not verified");
  expect(html).toContain("127.0.0.1:3118");
  expect(shown.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  expect(shown.headers.get("x-frame-options")).toBe("DENY");
  expect(shown.headers.get("cache-control")).toBe("no-store");
});

test("a name without visible characters is shown as none, and a host in foreign letters by its ASCII form", async () => {
  const { origin } = await serveSignIn();
  const redirect_uri = "https://\u0441laude.ai/callback";
  const client = await newClient(origin, {
    client_name: "\u3164\u2800\u200B",
    redirect_uris: [redirect_uri],
  });
  const { html } = await openConsent(new Browser(), authorization(client, { redirect_uri }).url);
  expect(html).toContain("A client without a name");
  expect(html).toContain("<dd>xn--laude-0ye.ai</dd>");
});

test("an error page shows the text of a request without its markup", async () => {
  const { origin } = await serveSignIn();
  const answer = await new Browser().get(`${origin}/oauth/authorize?client_id=<script>alert(1)</script>`);
  expect(answer.status).toBe(400);
  expect(await answer.text()).not.toContain("<script");
});

test("a request that was started in another browser cannot be decided", async () => {
  const { origin } = await serveSignIn();
  const { page, html } = await openConsent(new Browser(), authorization(await newClient(origin)).url);
  const stranger = new Browser();
  expect((await stranger.get(page)).status).toBe(400);
  const submitted = await stranger.submit(page, html, { ...USER, decision: "approve" });
  expect(submitted.status).toBe(400);
  const own = new Browser();
  await openConsent(own, authorization(await newClient(origin)).url);
  expect((await own.submit(page, html, { ...USER, decision: "approve" })).status).toBe(400);
});

test("a decision needs the token of the form, the page's origin and a POST", async () => {
  const { origin } = await serveSignIn();
  const browser = new Browser();
  const { page, html } = await openConsent(browser, authorization(await newClient(origin)).url);
  const fields = { ...USER, decision: "approve" };
  const forged = html.replace(/name="token" value="[^"]+"/, 'name="token" value="guess"');
  expect((await browser.submit(page, forged, fields)).status).toBe(400);
  expect((await browser.submit(page, html, fields, "https://evil.test")).status).toBe(403);
  const byGet = new URL(page);
  byGet.searchParams.set("decision", "approve");
  byGet.searchParams.set("passphrase", USER.passphrase);
  expect((await browser.get(byGet)).headers.has("location")).toBe(false);
  expect((await browser.submit(page, html, fields)).status).toBe(303);
  expect((await browser.submit(page, html, fields)).status).toBe(400);
});

test("a wrong passphrase gives no code, and after five there is a pause", async () => {
  const { origin } = await serveSignIn();
  const browser = new Browser();
  const { page, html } = await openConsent(browser, authorization(await newClient(origin)).url);
  const guess = async () =>
    (await browser.submit(page, html, { passphrase: "no", decision: "approve" })).status;
  for (let tries = 0; tries < 5; tries++) expect(await guess()).toBe(403);
  expect(await guess()).toBe(429);
  const right = await browser.submit(page, html, { ...USER, decision: "approve" });
  expect(right.status).toBe(429);
});

test("a user who cancels sends the client an error with the issuer", async () => {
  const { origin } = await serveSignIn();
  const { url } = authorization(await newClient(origin));
  const back = await signInWith(new Browser(), url, { passphrase: "", decision: "deny" });
  expect(back.searchParams.get("error")).toBe("access_denied");
  expect(back.searchParams.get("iss")).toBe(origin);
  expect(back.searchParams.has("code")).toBe(false);
});
