/** With cookies and without scripts. */
export class Browser {
  private readonly cookies = new Map<string, string>();

  async get(url: string | URL): Promise<Response> {
    return this.send(new URL(url), { method: "GET" });
  }

  async submit(
    page: URL,
    html: string,
    fields: Record<string, string | readonly string[]>,
    origin = page.origin,
  ): Promise<Response> {
    const form = new URLSearchParams();
    for (const [, name = "", value = ""] of html.matchAll(
      /<input type="hidden" name="([^"]+)" value="([^"]+)">/g,
    ))
      form.set(name, value);
    for (const [name, values] of Object.entries(fields))
      for (const value of [values].flat()) form.append(name, String(value));
    return this.send(page, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", origin },
      body: form.toString(),
    });
  }

  private async send(url: URL, init: RequestInit): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as Record<string, string>), ...(cookie !== "" && { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      this.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    return response;
  }
}

export interface UserAnswer {
  readonly passphrase: string;
  readonly decision?: "approve" | "deny";
  /** Those that stay checked; default all. */
  readonly scopes?: readonly string[];
}

/** Answers the consent page, and returns the address at which the client is called. */
export async function signInWith(browser: Browser, authorize: URL, answer: UserAnswer): Promise<URL> {
  const { page, html } = await openConsent(browser, authorize);
  const offered = [...html.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope = ""]) => scope);
  const submitted = await browser.submit(page, html, {
    passphrase: answer.passphrase,
    decision: answer.decision ?? "approve",
    scope: answer.scopes ?? offered,
  });
  const resume = submitted.headers.get("location");
  if (resume === null)
    throw new Error(`The form was answered with ${submitted.status}: ${await submitted.text()}`);
  const back = (await browser.get(resume)).headers.get("location");
  if (back === null) throw new Error("The browser was not sent back to the client.");
  return new URL(back);
}

export async function openConsent(browser: Browser, authorize: URL) {
  const asked = await browser.get(authorize);
  const location = asked.headers.get("location");
  if (location === null) throw new Error(`${asked.status}: ${await asked.text()}`);
  const page = new URL(location, authorize);
  const shown = await browser.get(page);
  return { page, shown, html: await shown.text() };
}
