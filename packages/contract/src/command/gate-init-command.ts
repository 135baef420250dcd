import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, commandFor } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { firstPolicy } from "../gate/first-policy.ts";
import type { UpstreamPlace } from "../gate/upstream-place.ts";
import { placeOf, placeOptions, policyOption } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";
import { listTools } from "./list-tools.ts";

const command = commandFor<Machine, typeof globalOptions>();

/** `toolpact gate init` */
export const gateInitCommand: Command<Machine> = command({
  name: "init",
  describe: "Write a first policy with the tools of a server",
  details:
    "Every tool needs approval until you change its rule. The server's own claims about each tool follow as a comment.",
  options: { ...policyOption, ...placeOptions },
  examples: [
    {
      line: "toolpact gate init -- npx -y @modelcontextprotocol/server-memory",
      does: "writes gate.toml with the tools of that server",
    },
    {
      line: "toolpact gate init --policy files.toml --url https://example.com/mcp",
      does: "writes files.toml for a remote server",
    },
  ],
  async run({ policy: file = "gate.toml", ...given }, context) {
    const place = placeOf(given, context);
    if (!place.ok) return place;
    const isThere = failed({ message: `${file} exists already.`, fix: "Name another with --policy FILE." });
    if (existsSync(file)) return isThere;
    try {
      const { name, tools } = await listTools(place.value, context.signal);
      const text = firstPolicy(name, tools);
      const made = await open(file, "wx", 0o600);
      await made.writeFile(text);
      await made.close();
      return ok({
        text: `Wrote ${file} for ${name}. Every tool needs approval until you change its rule.\n\nIn the configuration of your client, replace the server with:\n\n${clientEntry(file, place.value, given["token-env"])}\n`,
        json: { policy: file, server: name },
      });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === "EEXIST" ? isThere : failed({ message });
    }
  },
});

/** The entry for a client's configuration. Paths are absolute, because clients start it in their own folder. */
function clientEntry(file: string, place: UpstreamPlace, tokenEnv: string | undefined): string {
  const [, script = "toolpact"] = process.argv;
  const before = ["gate", "--policy", resolve(file)];
  const token = tokenEnv === undefined ? [] : ["--token-env", tokenEnv];
  const server = "url" in place ? ["--url", place.url, ...token] : ["--", place.command, ...place.args];
  const entry = { command: process.execPath, args: [resolve(script), ...before, ...server] };
  return JSON.stringify(entry, null, 2).replaceAll(/^/gm, "  ");
}
