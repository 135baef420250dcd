import { ok } from "@toolpact/contract";
import { Secret, systemClock } from "@toolpact/x-api";
import { cast, type Plan, Sandbox } from "@toolpact/x-sandbox";
import type { XAccount } from "./connect-x.ts";

/** A world of its own: an X in this process with somebody signed in. No account, no network, no money. */
export interface SandboxWorld {
  readonly sandbox: Sandbox;
  readonly account: XAccount;
}

/** On `enterprise` X allows everything; `self_serve` shows what it refuses most people. */
export function sandboxWorld(plan: Plan): SandboxWorld {
  const sandbox = new Sandbox({ plan, start: Date.now(), realTime: Date.now });
  const isPremium = plan === "enterprise";
  if (isPremium) sandbox.person(cast.owner).subscription = "Premium";
  let signedIn = sandbox.signIn();
  return {
    sandbox,
    account: {
      tokens: {
        userToken: async () => ok(signedIn.accessToken),
        appToken: async () => ok(sandbox.app.bearerToken),
        // Sandbox tokens expire after two hours like X's; whoever holds the sandbox may sign in again.
        rejected: async (token, kind) => {
          if (kind === "app") return ok(sandbox.app.bearerToken);
          if (token === signedIn.accessToken) signedIn = sandbox.signIn();
          return ok(signedIn.accessToken);
        },
      },
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
      clock: systemClock,
      timeoutMs: 30_000,
    },
  };
}
