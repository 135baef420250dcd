import { type Clock, failed, ok } from "@toolpact/contract";
import type { TokenSource } from "@toolpact/x-api";
import { cast, Sandbox, type SandboxOptions } from "@toolpact/x-sandbox";
import type { Store } from "../../src/storage/store.ts";
import { type ServerSetting, serverAt, type TestServer } from "./server.ts";

/** A sandbox X on a plan that allows everything, with a clock that stands still. */
export function newSandbox(options: SandboxOptions = {}): Sandbox {
  return new Sandbox({ plan: "enterprise", size: { people: 8, posts: 10 }, ...options });
}

/** A server on a sandbox in this process. */
export function serverOn(
  store: Store,
  sandbox: Sandbox,
  setting: ServerSetting = {},
  fetch: typeof globalThis.fetch = sandbox.fetch,
  // Nothing here waits for time to pass; tests move the clock.
  clock: Clock = { now: () => sandbox.clock.now(), after: () => () => {} },
): TestServer {
  return serverAt(
    {
      store,
      account: sandbox.person(cast.owner).id,
      tokens: tokensOf(sandbox),
      baseUrl: "https://api.x.com",
      fetch,
      clock,
      access: { plan: sandbox.plan, isPremium: false },
      timeoutMs: 30_000,
    },
    setting,
  );
}

/** The posts of a user since the sandbox began, oldest first. */
export function postedBy(
  sandbox: Sandbox,
  user: string = cast.owner,
): readonly { id: string; text: string }[] {
  const { id } = sandbox.person(user);
  return [...sandbox.world.posts.values()]
    .filter((post) => post.authorId === id && post.at >= sandbox.clock.start)
    .map((post) => ({ id: post.id, text: post.submitted }));
}

/** One sign-in for all servers of a sandbox: another would end the first. */
function tokensOf(sandbox: Sandbox): TokenSource {
  const known = signedIn.get(sandbox);
  if (known !== undefined) return known;
  let { accessToken } = sandbox.signIn();
  const tokens: TokenSource = {
    userToken: async () => ok(accessToken),
    appToken: async () => failed("none"),
    rejected: async (token) => {
      if (token === accessToken) accessToken = sandbox.signIn().accessToken;
      return ok(accessToken);
    },
  };
  signedIn.set(sandbox, tokens);
  return tokens;
}

const signedIn = new WeakMap<Sandbox, TokenSource>();
