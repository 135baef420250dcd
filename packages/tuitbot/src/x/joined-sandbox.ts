import { failed, type Outcome, ok } from "@toolpact/contract";
import { type Access, type ProviderError, Secret, systemClock } from "@toolpact/x-api";
import type { XAccount } from "./connect-x.ts";
import { listIn, numberIn, objectIn, textIn, type XObject } from "./shapes/x-object.ts";

/** In another process, with its time when found. */
export interface FoundSandbox {
  readonly url: string;
  readonly access: Access;
  readonly now: number;
  readonly speed: number;
}

/** Through a separate app, so neither process signs the other out. */
export async function joinedSandbox(
  { url, access, now, speed }: FoundSandbox,
  fetch: typeof globalThis.fetch,
): Promise<XAccount> {
  const credentials = await controlAnswer(fetch, `${url}/_sandbox/credentials`);
  const apps = listIn(credentials, "apps").map((app) => objectIn(app));
  const [app = {}, other = app] = apps;
  const oauth1 = objectIn(credentials, "oauth1");
  const bearer = textIn(other, "bearerToken") ?? "";
  let token: string | undefined;
  async function signIn(): Promise<Outcome<string, ProviderError>> {
    const body = JSON.stringify({ client_id: other.clientId });
    const issued = await controlAnswer(fetch, `${url}/_sandbox/tokens`, { method: "POST", body });
    token = textIn(issued, "access_token");
    if (token !== undefined) return ok(token);
    return failed({ kind: "not_configured", tokens: ["user"], message: "The sandbox signs nobody in." });
  }
  const foundAt = performance.now();
  const time = () => Math.floor(now + (performance.now() - foundAt) * speed);
  return {
    tokens: {
      userToken: async () => (token === undefined ? signIn() : ok(token)),
      appToken: async () => ok(bearer),
      rejected: async (refused, kind) => {
        if (kind === "app") return ok(bearer);
        return token === undefined || token === refused ? signIn() : ok(token);
      },
    },
    signInId: async () => "sandbox",
    scopes: () => undefined,
    access,
    adsKeys: {
      consumerKey: new Secret(textIn(app, "consumerKey") ?? ""),
      consumerSecret: new Secret(textIn(app, "consumerSecret") ?? ""),
      accessToken: new Secret(textIn(oauth1, "token") ?? ""),
      accessTokenSecret: new Secret(textIn(oauth1, "secret") ?? ""),
    },
    baseUrl: url,
    fetch,
    clock: { now: time, monotonic: time, speed, after: systemClock.after },
    timeoutMs: 30_000,
  };
}

/** With its speed; undefined if none answers. */
export async function sandboxTime(
  url: string,
  fetch: typeof globalThis.fetch,
): Promise<Pick<FoundSandbox, "now" | "speed"> | undefined> {
  const clock = await controlAnswer(fetch, `${url}/_sandbox/clock`, {
    signal: AbortSignal.timeout(ALIVE_MS),
  });
  const [now, speed] = [numberIn(clock, "now_ms"), numberIn(clock, "speed")];
  return now === undefined || speed === undefined ? undefined : { now, speed };
}

/** Milliseconds; a local sandbox answers at once. */
const ALIVE_MS = 5_000;

/** Empty if none. */
async function controlAnswer(
  fetch: typeof globalThis.fetch,
  address: string,
  init: RequestInit = {},
): Promise<XObject> {
  try {
    return objectIn(await (await fetch(address, init)).json());
  } catch {
    return {};
  }
}
