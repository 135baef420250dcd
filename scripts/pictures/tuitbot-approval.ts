import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { runProgram } from "../../packages/cli/src/index.ts";
import type { JsonObject } from "../../packages/contract/src/index.ts";
import { noElicitation } from "../../packages/contract/src/internal.ts";
import { failed } from "../../packages/outcome/src/index.ts";
import { program } from "../../packages/tuitbot/src/cli/program.ts";
import { type ConfigPlace, loadConfig } from "../../packages/tuitbot/src/config/load.ts";
import { createServer } from "../../packages/tuitbot/src/server/server.ts";
import { signedInAccount, tokenKeeper } from "../../packages/tuitbot/src/x/signed-in-account.ts";
import { knownScopes, Sandbox } from "../../packages/x-sandbox/src/index.ts";
import { recordTerminal, type Step } from "../record-terminal.ts";

const post = { text: "Sourdough tip: a starter that smells of apples is ready to bake with." };

/** The agent's post is queued, the owner approves it, and a repeated call is not posted. */
export async function tuitbotApproval(): Promise<string> {
  const sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  const home = mkdtempSync(join(tmpdir(), "tuitbot-picture-"));
  try {
    const env = {
      TUITBOT_X_API__BASE_URL: await sandbox.listen(),
      TUITBOT_X_API__CLIENT_ID: sandbox.app.clientId,
    };
    signIn(sandbox, home);
    const place = { env, home, cwd: home };
    const server = await agentsServer(place);
    const agent = (tool: string, args: JsonObject): Step => ({
      who: "agent",
      line: `${tool} ${JSON.stringify(args)}`,
      run: async (screen) => screen(shown(await server.call(tool, args))),
    });
    const svg = await recordTerminal({
      title: "tuitbot: the agent writes, you decide",
      columns: 114,
      steps: [
        agent("x_post_tweet", post),
        agent("approve_item", { id: 1 }),
        { who: "you", line: "tuitbot approve", run: (screen) => approve(place, "a", screen) },
        agent("x_post_tweet", post),
      ],
    });
    await server.close();
    return svg;
  } finally {
    await sandbox.close();
    rmSync(home, { recursive: true });
  }
}

function signIn(sandbox: Sandbox, home: string): void {
  const { accessToken, refreshToken, expiresInSeconds } = sandbox.signIn({ scopes: knownScopes });
  mkdirSync(join(home, ".tuitbot"));
  writeFileSync(
    join(home, ".tuitbot/tokens.json"),
    JSON.stringify({
      version: 1,
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_at: Date.now() + expiresInSeconds * 1_000,
      scopes: knownScopes,
    }),
    { mode: 0o600 },
  );
}

/** An MCP client without forms. */
async function agentsServer(place: ConfigPlace) {
  const config = await loadConfig(place);
  if (!config.ok) throw new Error("The configuration is wrong.");
  const { core, close } = await createServer({
    profile: "write",
    config: config.value,
    place,
    account: async () => {
      const { values } = config.value;
      return signedInAccount(values, fetch, tokenKeeper(values, fetch, {}));
    },
    isStored: true,
    isSandbox: false,
  });
  const { pipeline } = await core();
  return {
    close,
    async call(tool: string, args: JsonObject): Promise<JsonObject> {
      const caller = { transport: "stdio", client: "agent" } as const;
      const answer = await pipeline.call({ tool, args, caller, ask: noElicitation });
      if (answer.kind !== "rendered" || answer.envelope === undefined)
        throw new Error(`${tool} did not answer.`);
      return answer.envelope;
    },
  };
}

/** As an agent's client would show it. */
function shown({ data, error }: JsonObject): string {
  const answer = (error ?? data) as Readonly<Record<string, string | undefined>>;
  const { status, code, message, suggested_fix } = answer;
  const reason = error ? answer.reason : answer.policy_decision;
  const head = [status ?? code, reason].filter((word) => word !== undefined).join(" · ");
  return [
    `  ${error ? red(head) : green(head)}`,
    `  ${message}`,
    ...(suggested_fix === undefined ? [] : [`  ${dim(`→ ${suggested_fix}`)}`]),
    "",
  ].join("\n");
}

const green = (text: string) => styleText("green", text, { validateStream: false });
const red = (text: string) => styleText("red", text, { validateStream: false });
const dim = (text: string) => styleText("dim", text, { validateStream: false });

async function approve(place: ConfigPlace, key: string, screen: (text: string) => void): Promise<void> {
  await runProgram(
    program,
    ["approve"],
    {
      out: screen,
      err: screen,
      env: place.env,
      isInteractive: true,
      width: 80,
      hasColor: true,
      ask: async () => undefined,
    },
    {
      home: place.home,
      cwd: place.cwd,
      platform: process.platform,
      fetch,
      now: Date.now,
      pause: async () => {},
      openPage: async () => false,
      prompts: () => Promise.reject(new Error("Nobody answers the prompts.")),
      readKey: async () => {
        screen(key);
        return key;
      },
      edit: async () => failed("There is no editor."),
      runtime: process.execPath,
      script: "",
    },
    new AbortController().signal,
  );
}
