import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EnvelopeError } from "@toolpact/contract/internal";
import { type FaultRequest, knownScopes } from "@toolpact/x-sandbox";
import { expect, vi } from "vitest";
import type { Profile } from "../src/profiles.ts";
import { type LiveServer, serveLive } from "./live-server.ts";
import { type ModelServer, modelServer } from "./model-server.ts";
import { type Stage, setStage } from "./stage.ts";

/** An answer as a client reads it. */
export interface Answer {
  readonly success: boolean;
  readonly data: unknown;
  readonly error?: EnvelopeError<string>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A separate server process for one profile, with a sandbox of this process as its X. */
export interface LiveStage extends Stage {
  /** Who writes for it. */
  readonly model: ModelServer;
  readonly client: LiveServer["client"];
  /** Names of the tools that the server lists. */
  readonly listed: readonly string[];
  /** File of what the server keeps; profiles that keep nothing never make it. */
  readonly database: string;
  readonly call: (tool: string, args: Record<string, unknown>) => Promise<Answer>;
  /** Signs in anew, with these scopes or with all; the server finds the new tokens by itself. */
  readonly signIn: (scopes?: readonly string[]) => void;
  readonly signOut: () => void;
  /** Makes the calls so far old ones, where a profile without a database refuses the same call for a while. */
  readonly forgetCalls: () => void;
  readonly close: () => Promise<void>;
}

export async function openStage(
  profile: Profile,
  env: (home: string) => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv> = () => ({}),
  faults: readonly FaultRequest[] = [],
  seed?: number,
): Promise<LiveStage> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-stage-")));
  const stage = setStage(home, seed);
  const { sandbox, mediaRoot } = stage;
  const tokenFile = join(home, "tokens.json");
  const database = join(home, "tuitbot.db");
  const model = await modelServer();
  const signIn = (scopes: readonly string[] = knownScopes): void => {
    const tokens = sandbox.signIn({ scopes });
    const stored = {
      version: 1,
      access_token: tokens.accessToken,
      refresh_token: tokens.refreshToken,
      expires_at: Date.now() + tokens.expiresInSeconds * 1000,
      scopes,
    };
    writeFileSync(tokenFile, JSON.stringify(stored), { mode: 0o600 });
  };
  signIn();
  for (const fault of faults) sandbox.faults.add(fault);
  const server = await serveLive(["--profile", profile], {
    TUITBOT_X_API__BASE_URL: await sandbox.listen(),
    TUITBOT_X_API__CLIENT_ID: sandbox.app.clientId,
    TUITBOT_X_API__PLAN: "enterprise",
    TUITBOT_X_API__BEARER_TOKEN: sandbox.app.bearerToken,
    TUITBOT_AUTH__TOKEN_FILE: tokenFile,
    TUITBOT_MEDIA__ROOTS: mediaRoot,
    TUITBOT_STORAGE__DB_PATH: database,
    TUITBOT_LLM__PROVIDER: "ollama",
    TUITBOT_LLM__BASE_URL: model.url,
    ...letThrough,
    ...(await env(home)),
  });
  // The server tries its sign-in out once by itself; faults that are planned later are for the calls of the test.
  // Not `expect.poll`: stages are opened in hooks too.
  await vi.waitFor(() => expect(sandbox.journal.of("getUsersMe")).not.toEqual([]), { timeout: 20_000 });
  const { tools } = await server.client.listTools();
  return {
    ...stage,
    client: server.client,
    listed: tools.map(({ name }) => name),
    database,
    model,
    call: (tool, args) => checkedCall(server, tool, args),
    signIn,
    signOut: () => rmSync(tokenFile),
    forgetCalls: () => rmSync(`${tokenFile}.calls`, { force: true }),
    close: async () => {
      await server.close();
      await sandbox.close();
      await model[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Everything but the rules that nothing switches off, and the agent may approve what these ask about. */
export const letThrough = {
  TUITBOT_APPROVAL_MODE: "false",
  TUITBOT_APPROVALS__ALLOW_AGENT: "true",
  TUITBOT_MCP_POLICY__ENFORCE_FOR_MUTATIONS: "false",
  TUITBOT_X_API__AI_REPLIES_AGREED: "true",
  TUITBOT_BUDGET__UNLIMITED: "true",
  TUITBOT_LIMITS__MAX_TWEETS_PER_DAY: "1000",
  TUITBOT_LIMITS__MAX_REPLIES_PER_DAY: "1000",
  TUITBOT_LIMITS__MAX_REPLIES_PER_AUTHOR_PER_DAY: "1000",
  TUITBOT_LIMITS__MAX_THREADS_PER_WEEK: "1000",
  // Requests without an answer are then not resolved in the background while a test counts requests.
  TUITBOT_X_API__TIMEOUT_MS: "600000",
};

/** Text, structured content and error flag of an answer must tell the same. */
async function checkedCall(
  { client }: LiveServer,
  tool: string,
  args: Record<string, unknown>,
): Promise<Answer> {
  const { structuredContent, content, isError } = await client.callTool({ name: tool, arguments: args });
  const [block, ...more] = content;
  expect(more, tool).toEqual([]);
  if (block?.type !== "text") throw new Error(`${tool} answered without text.`);
  const envelope: Answer = JSON.parse(block.text);
  expect(structuredContent, tool).toEqual(envelope);
  expect(isError ?? false, tool).toBe(!envelope.success);
  return envelope;
}
