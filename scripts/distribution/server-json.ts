import type { Package } from "../packages.ts";
import type { Publisher } from "./publisher.ts";
import type { ServerSetting, ShippedServer } from "./servers.ts";

/** The server's name in the MCP registry, repeated in the published package as `mcpName`. */
export function mcpName({ name }: ShippedServer, { mcpNamespace }: Publisher): string {
  return `${mcpNamespace}/${name}`;
}

/** A server's entry in the MCP registry. It names the publisher, so there is none without one. */
export function serverJson(server: ShippedServer, { version }: Package, publisher: Publisher) {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: mcpName(server, publisher),
    title: server.title,
    description: server.description,
    version,
    websiteUrl: publisher.homepage,
    ...repositoryOf(server, publisher),
    packages: [
      {
        registryType: "npm",
        identifier: server.name,
        version,
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: server.args.map((value) => ({ type: "positional", value })),
        environmentVariables: server.settings.map(environmentVariable),
      },
    ],
  };
}

/** The registry supports repositories on two hosts; for others only the website is listed. */
function repositoryOf({ name }: ShippedServer, { repository: url }: Publisher) {
  const source = /^https:\/\/(github|gitlab)\.com\//.exec(url)?.[1];
  return source === undefined ? {} : { repository: { url, source, subfolder: `packages/${name}` } };
}

const FORMATS = { text: "string", switch: "boolean", file: "filepath", folder: "filepath" } as const;

function environmentVariable({ env, description, type, isRequired = false, default: value }: ServerSetting) {
  return {
    name: env,
    description,
    format: FORMATS[type],
    isRequired,
    ...(value !== undefined && { default: String(value) }),
  };
}
