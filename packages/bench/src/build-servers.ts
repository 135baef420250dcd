import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { bundle } from "../../../scripts/bundle.ts";

const source = (path: string) => fileURLToPath(new URL(`servers/${path}`, import.meta.url));

/**
 * Writes every server as JavaScript, so that none pays for stripping types: ours bundled, as a product ships;
 * the others beside the packages they import, as theirs are run.
 */
export async function buildServers(outdir: string): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  await bundle({ entries: { toolpact: source("ours/main.ts") }, outdir });
  await bundle({
    entries: {
      node: source("node.ts"),
      "sdk-v2": source("sdk-v2.ts"),
      "sdk-v1": source("sdk-v1.ts"),
      fastmcp: source("fastmcp.ts"),
    },
    outdir,
    packages: "external",
  });
}
