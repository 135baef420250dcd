import { Sandbox } from "@toolpact/x-sandbox";
import { expect, test } from "vitest";
import { signedInEnv } from "../signed-in-env.ts";
import { Browser, newHome, serve } from "./served.ts";

/** The first steps that the dashboard of `tuitbot WORDS` shows its owner. */
async function stepsOf(words: readonly string[], envOf: (home: string) => Promise<NodeJS.ProcessEnv>) {
  const { home, remove } = newHome();
  const served = await serve(home, { words, env: await envOf(home) });
  try {
    const owner = new Browser(served.url);
    await owner.signIn(served.link);
    return { ...(await owner.command("first_steps")).body, url: served.url };
  } finally {
    await served.stop();
    remove();
  }
}

const signedIn = (sandbox: Sandbox) => (home: string) => signedInEnv(home, sandbox);
const newSandbox = () => new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });

test("tuitbot web on a sandbox has agents connect to itself, since the sandbox is nowhere else", async () => {
  const { connect, url, ...state } = await stepsOf(["web", "--no-open"], async () => ({}));
  expect(connect).toContain(`claude mcp add --transport http tuitbot ${url}mcp --header`);
  expect(state).toEqual({ is_connected: false, has_proposed: false });
});

test("tuitbot web for an account of X sets up agents to start separate servers", async () => {
  const sandbox = newSandbox();
  try {
    const { connect } = await stepsOf(["web", "--no-open"], signedIn(sandbox));
    expect(connect).toBe("npx tuitbot mcp setup");
  } finally {
    await sandbox.close();
  }
});

test("a server over HTTP has agents connect to itself, without a header where it asks for no token", async () => {
  const { connect, url } = await stepsOf(
    ["mcp", "serve", "--sandbox", "--http", "0", "--no-token"],
    async () => ({}),
  );
  expect(connect).toBe(`claude mcp add --transport http tuitbot ${url}mcp`);
});

test("a token that the operator has set is not sent to the page, and named as theirs to fill in", async () => {
  const env = async () => ({ TUITBOT_SERVER__TOKEN: "a-token-of-the-operator-that-is-long-enough" });
  const steps = await stepsOf(["mcp", "serve", "--sandbox", "--http", "0"], env);
  expect(steps.connect).toContain('--header "Authorization: Bearer YOUR_TOKEN"');
  expect(JSON.stringify(steps)).not.toContain("a-token-of-the-operator");
});
