import type { Catalog } from "../catalog.ts";
import type { JsonObject } from "../json.ts";
import type { Tool } from "../tool.ts";
import type { GateFacts } from "./gate-product.ts";
import type { Policy } from "./policy.ts";
import type { Upstream } from "./upstream.ts";
import { upstreamTool } from "./upstream-tool.ts";

/** The tools of the upstream server without those that the policy denies. `refresh` replaces them. */
export class UpstreamCatalog implements Pick<Catalog<GateFacts>, "tools" | "get"> {
  private readonly upstream: Upstream;
  private readonly policy: Policy;
  private byName: ReadonlyMap<string, Tool<GateFacts>> = new Map();

  constructor(upstream: Upstream, policy: Policy) {
    this.upstream = upstream;
    this.policy = policy;
  }

  get tools(): readonly Tool<GateFacts>[] {
    return [...this.byName.values()];
  }

  /** The definitions in `tools/list`. */
  get listed(): readonly JsonObject[] {
    return this.tools.map(({ facts }) => facts.listed);
  }

  get(name: string): Tool<GateFacts> | undefined {
    return this.byName.get(name);
  }

  /** Fetches the list from the server. */
  async refresh(): Promise<void> {
    const definitions = await this.upstream.tools(new AbortController().signal);
    const tools = definitions.map((given) => upstreamTool(given, this.policy.toolRule(String(given.name))));
    this.byName = new Map(
      tools.filter(({ facts }) => facts.rule !== "deny").map((tool) => [tool.name, tool]),
    );
  }
}
