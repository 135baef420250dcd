import type { Publisher } from "./publisher.ts";
import { defaultEnvironment, type ShippedServer } from "./servers.ts";

/** The command of a server installed with a click: the newest version, with default settings. */
function launchOf(server: ShippedServer) {
  const { name, args, settings } = server;
  const folders = settings
    .filter(({ type, isRequired = false }) => type === "folder" && isRequired)
    // Both editors substitute the open folder.
    .map(({ env }) => [env, `\${workspaceFolder}`]);
  const env = { ...defaultEnvironment(server), ...Object.fromEntries(folders) };
  return { command: "npx", args: ["-y", name, ...args], env };
}

/** A README's badges. They start the newest published package with npx. */
export function installLinks(server: ShippedServer): string {
  const config = JSON.stringify(launchOf(server));
  const vscode = `https://vscode.dev/redirect/mcp/install?name=${server.name}&config=${encodeURIComponent(config)}`;
  const cursor = `https://cursor.com/en/install-mcp?name=${server.name}&config=${encodeURIComponent(Buffer.from(config).toString("base64"))}`;
  return [
    `[![Install in VS Code](../../docs/pictures/install-vscode.svg)](${vscode})`,
    `[![Install in Cursor](../../docs/pictures/install-cursor.svg)](${cursor})`,
  ].join("\n");
}

const BLOCK = /<!-- install links -->\n[\s\S]*?<!-- end of install links -->/;

/** A README with its badges. Without a publisher it has none: a click would run somebody else's package. */
export function withInstallLinks(
  page: string,
  server: ShippedServer,
  publisher: Publisher | undefined,
): string {
  if (!BLOCK.test(page)) throw new Error(`The README of ${server.name} has no place for its install links.`);
  const links = publisher === undefined ? "" : `${installLinks(server)}\n`;
  return page.replace(BLOCK, () => `<!-- install links -->\n${links}<!-- end of install links -->`);
}
