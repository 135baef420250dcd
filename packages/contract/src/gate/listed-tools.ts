import type { JsonObject } from "../json.ts";
import type { Policy } from "./policy.ts";
import { GATE_META } from "./refusal.ts";
import type { Upstream } from "./upstream.ts";

/** The server's tools as clients see them: without what the policy denies, each with its rule. */
export class ListedTools {
  private readonly upstream: Upstream;
  private readonly policy: Policy;
  private listed: readonly JsonObject[] = [];

  constructor(upstream: Upstream, policy: Policy) {
    this.upstream = upstream;
    this.policy = policy;
  }

  /** As they were listed last. */
  get now(): readonly JsonObject[] {
    return this.listed;
  }

  has(name: string): boolean {
    return this.listed.some((tool) => tool.name === name);
  }

  hasParameter(name: string, parameter: string): boolean {
    const { inputSchema } = this.listed.find((tool) => tool.name === name) ?? {};
    const { properties } = Object(inputSchema);
    return Object.hasOwn(Object(properties), parameter);
  }

  /** Asks the server. */
  async list(): Promise<readonly JsonObject[]> {
    const found = await this.upstream.tools(new AbortController().signal);
    this.listed = found
      .filter(({ name }) => this.policy.toolRule(String(name)).rule !== "deny")
      .map((tool) => this.withRule(tool));
    return this.listed;
  }

  /** A tool as the server lists it, with what the policy says of it. Its hints are the server's own claim. */
  private withRule(tool: JsonObject): JsonObject {
    const { rule } = this.policy.toolRule(String(tool.name));
    // A tool's `_meta` is an object where it is there.
    return { ...tool, _meta: { ...(tool._meta as JsonObject | undefined), [GATE_META]: { rule } } };
  }
}
