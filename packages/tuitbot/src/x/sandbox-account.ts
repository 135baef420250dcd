import { ok } from "@toolpact/contract";
import { Secret, systemClock } from "@toolpact/x-api";
import { cast, type Plan, Sandbox } from "@toolpact/x-sandbox";
import type { XAccount } from "./connect-x.ts";

/** In this process, signed in, without network and money. */
export interface SandboxWorld {
  readonly sandbox: Sandbox;
  readonly account: XAccount;
}

export interface SandboxWorldOptions {
  /** Default as on `enterprise`. */
  readonly isPremium?: boolean;
  /** Clock time per real time; default 1. */
  readonly speed?: number | undefined;
}

/** `enterprise` allows everything; `self_serve` rejects what X rejects for most people. */
export function sandboxWorld(
  plan: Plan,
  { isPremium = plan === "enterprise", speed = 1 }: SandboxWorldOptions = {},
): SandboxWorld {
  const sandbox = new Sandbox({ plan, start: Date.now(), realTime: Date.now, speed, lively: true });
  if (isPremium) sandbox.person(cast.owner).subscription = "Premium";
  let signedIn = sandbox.signIn();
  return {
    sandbox,
    account: {
      tokens: {
        userToken: async () => ok(signedIn.accessToken),
        appToken: async () => ok(sandbox.app.bearerToken),
        // Tokens expire after two hours, like X's, and the owner may sign in again.
        rejected: async (token, kind) => {
          if (kind === "app") return ok(sandbox.app.bearerToken);
          if (token === signedIn.accessToken) signedIn = sandbox.signIn();
          return ok(signedIn.accessToken);
        },
      },
      signInId: async () => "sandbox",
      scopes: () => signedIn.scopes,
      access: { plan, isPremium },
      adsKeys: {
        consumerKey: new Secret(sandbox.app.consumerKey),
        consumerSecret: new Secret(sandbox.app.consumerSecret),
        accessToken: new Secret(sandbox.oauth1().token),
        accessTokenSecret: new Secret(sandbox.oauth1().secret),
      },
      baseUrl: "https://api.x.com",
      fetch: sandbox.fetch,
      clock: speed === 1 ? systemClock : fastClock(() => sandbox.clock.now(), speed),
      timeoutMs: 30_000,
    },
  };
}

/** Timeouts stay in real time, because programs are no faster. */
function fastClock(now: () => number, speed: number): XAccount["clock"] {
  return { now, monotonic: now, speed, after: systemClock.after };
}
