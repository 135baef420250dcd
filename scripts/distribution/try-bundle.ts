import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { getMcpConfigForManifest, unpackExtension, v0_3 } from "@anthropic-ai/mcpb";
import { packageNamed } from "../packages.ts";
import type { Attempt } from "./channels.ts";
import { packBundle } from "./mcpb.ts";
import type { ShippedServer } from "./servers.ts";
import type { Stranger } from "./stranger.ts";

const MAX_BYTES = 3_000_000;

/** Unpacks the bundle like a desktop client, and starts it with only the required settings. */
export async function tryBundle(stranger: Stranger, server: ShippedServer): Promise<Attempt> {
  const file = await packBundle(packageNamed(server.name), stranger.publisher, stranger.folder);
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw new Error(`The bundle of ${server.name} has ${size} bytes.`);
  const place = join(stranger.folder, `${server.name}-unpacked`);
  if (!(await unpackExtension({ mcpbPath: file, outputDir: place, silent: true })))
    throw new Error(`The bundle of ${server.name} cannot be unpacked.`);
  const manifest = v0_3.McpbManifestSchema.parse(
    JSON.parse(readFileSync(join(place, "manifest.json"), "utf8")),
  );
  const required = server.settings.filter(({ isRequired = false }) => isRequired);
  const config = await getMcpConfigForManifest({
    manifest,
    extensionPath: place,
    systemDirs: {},
    userConfig: Object.fromEntries(required.map(({ key }) => [key, `\${workspaceFolder}`])),
    pathSeparator: "/",
  });
  if (config === undefined) throw new Error(`The manifest of ${server.name} starts nothing.`);
  const { command, args = [], env = {} } = config;
  return { seen: `${(size / 1e6).toFixed(2)} MB; ${await stranger.answers(server, { command, args, env })}` };
}
