import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Tool } from "@toolpact/contract";
import type { FaultRequest } from "@toolpact/x-sandbox";
import { expect } from "vitest";
import type { ErrorCode } from "../src/errors.ts";
import type { Profile } from "../src/profiles.ts";
import type { Args } from "./calls/tool-call.ts";
import { queuedItem } from "./live-server.ts";
import { type LiveStage, openStage } from "./live-stage.ts";
import { toolCalls } from "./tool-calls.ts";

/** A state of the server in which guards answer instead of the tools. */
interface Situation {
  readonly what: string;
  readonly env: (home: string) => NodeJS.ProcessEnv;
  /** The code that it is about; at least one tool must fail with it. */
  readonly code: ErrorCode;
  readonly isSignedOut?: boolean;
  readonly prepare?: (stage: LiveStage) => Promise<void>;
}

/**
 * A server starts only where somebody is signed in, and asks X once who that is. Where X refuses to say, every call that
 * has to know asks again.
 */
export const refusedAtStart = { operation: "getUsersMe", kind: "error", status: 403 } as const;

export const nobodySignedIn: Situation = {
  what: "nobody is signed in",
  code: "x_not_configured",
  isSignedOut: true,
  env: () => ({ TUITBOT_X_API__BEARER_TOKEN: undefined }),
};

const enforced = {
  TUITBOT_MCP_POLICY__ENFORCE_FOR_MUTATIONS: "true",
  TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "[]",
};

/** One for each answer of the guards that only `write` and `admin` have. */
export function workflowSituations(tools: readonly Tool[]): readonly Situation[] {
  const names = tools.map(({ name }) => name).join(",");
  return [
    {
      what: "the operator blocks every tool",
      code: "policy_denied_blocked",
      env: () => ({ ...enforced, TUITBOT_MCP_POLICY__BLOCKED_TOOLS: names }),
    },
    {
      what: "changes are only pretended",
      code: "policy_denied_user_rule",
      env: () => ({ ...enforced, TUITBOT_MCP_POLICY__DRY_RUN_MUTATIONS: "true" }),
    },
    {
      what: "the key of the approvals cannot be used",
      code: "policy_error",
      env: (home) => {
        const key = join(home, "key-that-is-a-folder");
        mkdirSync(key, { recursive: true });
        return { TUITBOT_MODE: "composer", TUITBOT_APPROVALS__KEY_FILE: key };
      },
    },
    {
      what: "one change is allowed per hour",
      code: "policy_denied_rate_limited",
      env: () => ({ ...enforced, TUITBOT_MCP_POLICY__MAX_MUTATIONS_PER_HOUR: "1" }),
    },
    {
      what: "no language model is configured",
      code: "llm_not_configured",
      env: () => ({ TUITBOT_LLM__PROVIDER: undefined, TUITBOT_LLM__BASE_URL: undefined }),
    },
    {
      what: "a call may cost next to nothing",
      code: "policy_denied_user_rule",
      env: () => ({ TUITBOT_BUDGET__MAX_USD_PER_CALL: "0.000001" }),
    },
    {
      what: "the money of the day is spent",
      code: "policy_denied_rate_limited",
      env: () => ({ TUITBOT_BUDGET__UNLIMITED: "false", TUITBOT_BUDGET__MAX_USD_PER_DAY: "5" }),
      async prepare({ call, database }) {
        await call("x_get_home_timeline", {});
        const db = new DatabaseSync(database);
        db.exec("update spend set micros = 5000000");
        db.close();
      },
    },
  ];
}

/** Each way in which X can fail the question who is signed in, which the first call of a server asks. */
export const signInTroubles: readonly Omit<FaultRequest, "operation">[] = [
  { kind: "unauthorized" },
  { kind: "error", status: 403 },
  { kind: "html", status: 502 },
  { kind: "drop", when: "before" },
  // Last: the client remembers that it has to wait.
  { kind: "rate_limited" },
];

/** One call of each tool in this situation. */
export async function codesIn(
  { env, isSignedOut = false, prepare }: Situation,
  profile: Profile,
  tools: readonly Tool[],
): Promise<readonly SeenCode[]> {
  const stage = await openStage(profile, env, isSignedOut ? [refusedAtStart] : []);
  try {
    if (isSignedOut) stage.signOut();
    await prepare?.(stage);
    return await codesOf(stage, tools);
  } finally {
    await stage.close();
  }
}

interface SeenCode {
  readonly tool: string;
  readonly code: string;
}

/** One call of each tool, with arguments that would let it succeed; what waits for a person then gets their yes. */
export async function codesOf(stage: LiveStage, tools: readonly Tool[]): Promise<readonly SeenCode[]> {
  const seen = await Promise.all(
    tools.map(async ({ name }) => {
      // The others are called at the same time.
      if (toolCalls[name]?.afterwards !== undefined) return [];
      const answer = await stage.call(name, await argsFor(name, stage));
      const id = queuedItem(answer);
      const { error } = id === undefined ? answer : await stage.call("approve_item", { id });
      // Everything is called at once, so a tool that decides may have been faster: then the code is not of this tool.
      if (error === undefined || (id !== undefined && error.reason === "already_decided")) return [];
      if (error.code.startsWith("policy_denied_"))
        expect(error.policy_decision, `${name} ${error.message}`).toMatch(/^(denied|dry_run)$/);
      return [{ tool: name, code: error.code }];
    }),
  );
  return seen.flat();
}

/** Some preconditions cannot be created in a situation; any item does then. */
async function argsFor(tool: string, stage: LiveStage): Promise<Args> {
  try {
    const args = (await toolCalls[tool]?.args(stage)) ?? {};
    return "id" in args && args.id === undefined ? { ...args, id: 1 } : args;
  } catch {
    return { id: 1 };
  }
}
