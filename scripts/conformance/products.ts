export interface Product {
  readonly name: string;
  /** On stdin and stdout; with `--http 0 --no-token`, over HTTP. */
  readonly serve: readonly string[];
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
