import { cast, type Plan, Sandbox } from "@toolpact/x-sandbox";
import { freePort } from "../../../scripts/free-port.ts";
import type { How, TestApp } from "./command-line.ts";

/** A sandbox on loopback, with an app that a desk can sign in through. */
export interface MadeUpX extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Variables that point tuitbot at it. */
  readonly env: NodeJS.ProcessEnv;
  /** How a person with a browser signs in: X's page is answered, and the browser sent back. */
  readonly how: How;
}

export async function madeUpX({ plan = "enterprise" }: { readonly plan?: Plan } = {}): Promise<MadeUpX> {
  const port = await freePort();
  const sandbox = new Sandbox({
    plan,
    start: Date.now(),
    realTime: Date.now,
    apps: [{ clientId: "desk-app", owner: cast.owner, redirectUris: [`http://127.0.0.1:${port}/callback`] }],
  });
  const env = {
    TUITBOT_X_API__BASE_URL: await sandbox.listen(),
    TUITBOT_X_API__CLIENT_ID: "desk-app",
    TUITBOT_AUTH__CALLBACK_PORT: String(port),
    TUITBOT_APPROVALS__ALLOW_WITHOUT_TERMINAL: "true",
  };
  return {
    sandbox,
    env,
    how: { env, machine: { openPage: (url) => allow(sandbox, url) } },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

/** Signs the desk in, as `tuitbot auth login` does. */
export async function signIn(desk: TestApp, { how }: MadeUpX, words: readonly string[] = []): Promise<void> {
  const { code, err } = await desk.run(["auth", "login", ...words], how);
  if (code !== 0) throw new Error(err);
}

async function allow(sandbox: Sandbox, url: string): Promise<boolean> {
  await fetch(sentBackTo(sandbox, url));
  return true;
}

/** The address to which X redirects a user who allowed the app on this page. */
export function sentBackTo(sandbox: Sandbox, url: string): string {
  const decision = sandbox.consent(url);
  if ("complaint" in decision) throw new Error(decision.complaint);
  return decision.redirectTo;
}
