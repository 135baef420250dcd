import { setTimeout } from "node:timers/promises";
import { Client, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Sandbox } from "@toolpact/x-sandbox";
import type { StorePlace } from "../../src/storage/open-store.ts";
import { cleanEnv, type Envelope, queuedItem } from "../live-server.ts";
import { signedInEnv, signInAt } from "../signed-in-env.ts";
import type { DoomedCall } from "./order.ts";

/** An agent that starts a separate server process for every call. */
export interface Agent {
  /** Returns the server's answer, or undefined if it was killed. */
  readonly ask: (call: DoomedCall) => Promise<Envelope | undefined>;
  /** The same without the weathers' environment variables. */
  readonly askCalmly: (call: DoomedCall) => Promise<Envelope | undefined>;
  /** How many approvals the servers asked for and got. */
  readonly approvals: () => number;
  /** The item that was approved last. */
  readonly lastApproved: () => number | undefined;
}

export interface AgentPlace {
  /** A folder for the files that this agent's servers keep outside the database. */
  readonly home: string;
  readonly place: StorePlace;
  readonly sandbox: Sandbox;
  /** Node's arguments that run tuitbot's command line. */
  readonly program: readonly string[];
  /** More environment variables of the servers. */
  readonly env: NodeJS.ProcessEnv;
  /** The access token has expired: a server's first request to X renews it. */
  readonly isSignInDue: boolean;
  /** Every call needs an approval, which the operator allows the agent to give. */
  readonly asksPerson: boolean;
}

export async function agentAt(at: AgentPlace): Promise<Agent> {
  const { home, place, sandbox, program } = at;
  const signedIn = await signedInEnv(home, sandbox);
  if (at.isSignInDue) await signInAt(home, sandbox, 0);
  const env = {
    ...signedIn,
    TUITBOT_STORAGE__DB_PATH: place.path,
    TUITBOT_STORAGE__URL: place.url,
    TUITBOT_X_API__AI_REPLIES_AGREED: "true",
    TUITBOT_APPROVAL_MODE: String(at.asksPerson),
    TUITBOT_APPROVALS__ALLOW_AGENT: "true",
    TUITBOT_MCP_POLICY__ENFORCE_FOR_MUTATIONS: String(at.asksPerson),
  };
  let approvals = 0;
  let lastApproved: number | undefined;

  async function ask(
    { tool, args, looksFirst, ...doom }: DoomedCall,
    more = at.env,
  ): Promise<Envelope | undefined> {
    const client = new Client({ name: "chaos", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...program, "mcp", "serve", "--profile", "write"],
      env: cleanEnv(home, { ...env, ...more, CHAOS_DOOM: JSON.stringify(doom) }),
      stderr: "pipe",
    });
    let said = "";
    transport.stderr?.on("data", (part) => (said += String(part)));
    const call: Call = async (name, given) => {
      if (name === "approve_item") {
        approvals += 1;
        lastApproved = Number(given.id);
      }
      const { structuredContent } = await client.callTool({ name, arguments: given }, patience);
      // Every answer of this server is the envelope.
      return structuredContent as unknown as Envelope;
    };
    let isGone = false;
    client.onclose = () => {
      isGone = true;
    };
    const answer = await client
      .connect(transport, patience)
      .then(async () => (looksFirst && (await doneBefore(call, tool))) || converse(call, tool, args))
      .catch((error: unknown) => {
        if (isGone && doom.death.kind !== "never") return undefined;
        if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
          throw new NoAnswerInTime(`A server took longer than ${MAX_WAIT_MS / 60_000} minutes: ${said}`);
        throw new Error(`A server did not answer: ${said}`, { cause: error });
      })
      .finally(() => client.close());
    if (said.includes(" failed (")) throw new Error(said);
    // A server that dies while it renews its sign-in loses it, as X has it. The person signs in again, and the agent asks again.
    if (answer?.error?.code === "x_auth_expired") await signInAt(home, sandbox);
    return answer;
  }

  return {
    ask: (call) => ask(call),
    askCalmly: (call) => ask(call, {}),
    approvals: () => approvals,
    lastApproved: () => lastApproved,
  };
}

/** A server is so slow that its run shows nothing, as on a machine that does too much else. */
export class NoAnswerInTime extends Error {}

/** Far longer than a server's own deadlines, which end a call first unless the machine hardly gets to it. */
const MAX_WAIT_MS = 15 * 60_000;
const patience = { timeout: MAX_WAIT_MS } as const;

type Call = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<Envelope>;

/** The result of a call whose answer got lost, which an agent looks up before it says the same again. */
async function doneBefore(call: Call, tool: string): Promise<Envelope | undefined> {
  const found = await call("get_recent_mutations", { tool_name: tool, status: "success", limit: 1 });
  const { mutations = [] } = Object(found.data) as {
    readonly mutations?: readonly { readonly result: unknown }[];
  };
  const result = mutations[0]?.result ?? undefined;
  return result === undefined ? undefined : { success: true, data: result };
}

async function converse(call: Call, ...[tool, args]: Parameters<Call>): Promise<Envelope> {
  for (let looks = 1; ; looks++) {
    const answer = await approved(call, await call(tool, args));
    // Another server died while it carried out what was approved; this one goes on with that by itself.
    if (!isUnderWay(answer) || tool === "approve_item" || looks === MAX_LOOKS) return answer;
    await setTimeout(LOOK_MS);
  }
}

function isUnderWay({ error }: Envelope): boolean {
  const { state } = (error?.details?.receipt ?? {}) as { readonly state?: string };
  return (
    error?.reason === "already_decided" || (error?.reason === "duplicate_request" && state === "pending")
  );
}

const MAX_LOOKS = 40;
const LOOK_MS = 50;

/** Approves a call that waits for a person, as the operator allows the agent here. */
async function approved(call: Call, answer: Envelope): Promise<Envelope> {
  const id = queuedItem(answer);
  return id === undefined ? answer : call("approve_item", { id });
}
