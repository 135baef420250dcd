import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundle } from "../../../scripts/bundle.ts";

/**
 * As JavaScript, to exclude the cost of stripping types: ours as shipped, the others next to their packages,
 * the SDK's also bundled.
 */
export async function buildServers(outdir: string): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  await bundle({
    entries: { toolpact: fileURLToPath(new URL("servers/ours/main.ts", import.meta.url)) },
    outdir,
  });
  await bundle({
    entries: {
      node: fileURLToPath(new URL("servers/node.ts", import.meta.url)),
      "sdk-v2": fileURLToPath(new URL("servers/sdk-v2.ts", import.meta.url)),
      "sdk-v1": fileURLToPath(new URL("servers/sdk-v1.ts", import.meta.url)),
      fastmcp: fileURLToPath(new URL("servers/fastmcp.ts", import.meta.url)),
      "mcp-ts-core": fileURLToPath(new URL("servers/mcp-ts-core.ts", import.meta.url)),
      xmcp: fileURLToPath(new URL("servers/xmcp.ts", import.meta.url)),
      "mcp-use": fileURLToPath(new URL("servers/mcp-use.ts", import.meta.url)),
    },
    outdir,
    packages: "external",
  });
  await build({
    entryPoints: { "sdk-v2-built": fileURLToPath(new URL("servers/sdk-v2-built.ts", import.meta.url)) },
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    platform: "node",
    format: "esm",
    target: "node22",
    logLevel: "warning",
  });
}
