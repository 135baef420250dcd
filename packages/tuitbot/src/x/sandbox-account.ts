import { ok } from "@toolpact/contract";
import { Secret, systemClock } from "@toolpact/x-api";
import { cast, type Plan, Sandbox } from "@toolpact/x-sandbox";
import type { XAccount } from "./connect-x.ts";

/** An isolated sandbox: an X in this process with somebody signed in. No account, no network, no money. */
export interface SandboxWorld {
  readonly sandbox: Sandbox;
  readonly account: XAccount;
}

export interface SandboxWorldOptions {
  /** Whether the account has X Premium; as on `enterprise` by default. */
  readonly isPremium?: boolean;
  /** How many times as fast as real time its clock runs; 1 by default. */
  readonly speed?: number | undefined;
}

/** On `enterprise` X allows everything; `self_serve` shows what it refuses most people. */
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
        // Sandbox tokens expire after two hours like X's; the sandbox's owner may sign in again.
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

/** The sandbox's time where it runs fast. Timeouts are in real time: programs are as slow as ever. */
function fastClock(now: () => number, speed: number): XAccount["clock"] {
  return { now, monotonic: now, speed, after: systemClock.after };
}
