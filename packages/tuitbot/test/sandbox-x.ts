import { failed, ok } from "@toolpact/contract";
import {
  type Access,
  createRawSender,
  createXClient,
  retryReads,
  systemClock,
  type TokenSource,
} from "@toolpact/x-api";
import type { Sandbox } from "@toolpact/x-sandbox";
import type { Me, X } from "../src/x/x.ts";

export interface SandboxXOptions {
  /** The plan in the configuration; the sandbox's own unless given. */
  readonly access?: Access;
  readonly scopes?: readonly string[];
  readonly user?: string;
}

/** The same for all: an account goes on in another process. */
const HANDLE_KEY = new Uint8Array(32).fill(7);

/** X as a tool gets it, with a sandbox behind it, all in this process. */
export function sandboxX(sandbox: Sandbox, options: SandboxXOptions = {}): X {
  const { accessToken } = sandbox.signIn({
    ...(options.user !== undefined && { user: options.user }),
    ...(options.scopes && { scopes: options.scopes }),
  });
  const tokens: TokenSource = {
    userToken: async () => ok(accessToken),
    appToken: async () => failed("none"),
    rejected: async () => failed("none"),
  };
  const clock = { now: () => sandbox.clock.now(), after: systemClock.after };
  const client = retryReads(createXClient({ tokens, fetch: sandbox.fetch, clock }), { firstWaitMs: 0 });
  return {
    client,
    now: clock.now,
    send: createRawSender({
      tokens,
      baseUrl: "https://api.x.com",
      fetch: sandbox.fetch,
      clock,
      timeoutMs: 30_000,
      userAgent: "test",
    }),
    me: async (signal) => {
      const answer = await client.call<Me>("getUsersMe", signal === undefined ? {} : { signal });
      return answer.ok ? ok(answer.value.data) : answer;
    },
    handleKey: async () => HANDLE_KEY,
    access: options.access ?? { plan: sandbox.plan, isPremium: false },
    scopes: () => options.scopes,
  };
}
