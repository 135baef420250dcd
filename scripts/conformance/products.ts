/** A product's command, as started by external suites. */
export interface Product {
  /** Name of the package and its command. */
  readonly name: string;
  /** Serves all tools on stdin and stdout; with `--http 0 --no-token`, over HTTP. */
  readonly serve: readonly string[];
  /** A call that must succeed. */
  readonly call: { readonly tool: string; readonly args: object };
}

export const PRODUCTS: readonly Product[] = [
  {
    name: "tuitbot",
    serve: ["mcp", "serve", "--sandbox", "--profile", "admin", "--list", "all"],
    call: { tool: "x_search_tweets", args: { query: "sourdough" } },
  },
  {
    name: "godot-mcp-omni",
    serve: ["serve", "--toolsets", "all"],
    call: { tool: "godot_meta", args: { action: "server_info" } },
  },
];
