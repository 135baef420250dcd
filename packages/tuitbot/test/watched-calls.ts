import { randomUUID } from "node:crypto";
import type { Tool } from "@toolpact/contract";
import { expect } from "vitest";
import { IDEMPOTENCY_KEY } from "../src/guards/receipts/receipt.ts";
import { isWorkflowProfile, type Profile } from "../src/profiles.ts";
import { profileManifest } from "../src/server/manifest.ts";
import type { Args } from "./calls/tool-call.ts";
import { envelopeOf } from "./envelope-shape.ts";
import { queuedItem } from "./live-server.ts";
import type { Answer, LiveStage } from "./live-stage.ts";
import { toolCalls } from "./tool-calls.ts";

/** Calls of a profile's tools, each answer checked against what the profile promises. */
export interface WatchedCalls {
  /**
   * A call whose answer has the profile's shape and, if it failed, a code that the manifest announces. What a safety
   * rule wants to have approved is approved.
   */
  readonly call: (tool: Tool, args: Args) => Promise<Answer>;
  /** Arguments that let a tool succeed. */
  readonly argsOf: (tool: Tool) => Promise<Args>;
  /** Repeatable: if calls are remembered, each gets a new key. */
  readonly freshArgsOf: (tool: Tool) => Promise<Args>;
  /** Whether a tool has failed with a code so far. */
  readonly hasSeen: (tool: Tool, code: string) => boolean;
}

export function watchedCalls(profile: Profile, stage: LiveStage): WatchedCalls {
  const manifest = profileManifest(profile);
  const entries = new Map(manifest.tools.map((entry) => [entry.name, entry]));
  const envelope = envelopeOf(profile);
  const seen = new Set<string>();
  const argsOf = async (tool: Tool) => (await toolCalls[tool.name]?.args(stage)) ?? {};

  return {
    async call(tool, args) {
      const answer = await shaped(tool.name, args);
      if (answer.success) toolCalls[tool.name]?.afterwards?.(stage);
      const id = queuedItem(answer);
      if (id === undefined) return announced(tool, answer);
      const released = await shaped("approve_item", { id });
      if (!released.success) {
        note("approve_item", released);
        return announced(tool, released);
      }
      const { result } = released.data as { readonly result: unknown };
      return { ...released, data: result };
    },
    argsOf,
    async freshArgsOf(tool) {
      const args = idsOnly((await toolCalls[tool.name]?.fresh?.(stage)) ?? (await argsOf(tool)), stage);
      if (takesKey(tool)) return { ...args, [IDEMPOTENCY_KEY]: randomUUID() };
      stage.forgetCalls();
      return args;
    },
    hasSeen: ({ name }, code) => seen.has(`${name} ${code}`),
  };

  async function shaped(name: string, args: Args): Promise<Answer> {
    const answer = await stage.call(name, args);
    const { error } = envelope.safeParse(answer);
    expect(error?.issues ?? [], `${name} ${JSON.stringify(answer)}`).toEqual([]);
    return answer;
  }

  function announced(tool: Tool, answer: Answer): Answer {
    if (answer.error !== undefined) {
      const own = entries.get(tool.name)?.possible_error_codes ?? [];
      const { code } = answer.error;
      expect([...own, ...manifest.common_error_codes], `${tool.name} failed with ${code}`).toContain(code);
      note(tool.name, answer);
    }
    return answer;
  }

  function note(name: string, { error }: Answer): void {
    if (error !== undefined) seen.add(`${name} ${error.code}`);
  }

  function takesKey({ name }: Tool): boolean {
    const properties = entries.get(name)?.input_schema.properties;
    return isWorkflowProfile(profile) && IDEMPOTENCY_KEY in Object(properties);
  }
}

/** Names would be looked up first, and that would meet the trouble. */
function idsOnly(args: Args, { friend }: LiveStage): Args {
  const ids = new Map([
    ["@sandbox_friend", friend],
    ["https://x.com/sandbox_friend", friend],
  ]);
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      name === "username" ? value : (ids.get(String(value)) ?? value),
    ]),
  );
}
