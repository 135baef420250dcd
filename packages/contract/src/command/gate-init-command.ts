import { existsSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { type Command, commandFor } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { firstPolicy } from "../gate/first-policy.ts";
import { acceptFirstTools, learnServer } from "../gate/learn-server.ts";
import { loadPolicy } from "../gate/policy.ts";
import type { UpstreamPlace } from "../gate/upstream-place.ts";
import { placeOf, placeOptions, policyOption } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

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
    const named = placeOf(given, context);
    if (!named.ok) return named;
    const place = withFullPaths(named.value);
    const isThere = failed({ message: `${file} exists already.`, fix: "Name another with --policy FILE." });
    if (existsSync(file)) return isThere;
    try {
      const learned = await learnServer(place, context.signal);
      const { name } = learned.info;
      const text = firstPolicy(name, learned.tools);
      const made = await open(file, "wx", 0o600);
      await made.writeFile(text);
      await made.close();
      const policy = await loadPolicy(file);
      if (!policy.ok) return failed({ message: policy.failure });
      const servers = policy.value.servers.map((server) => ({ ...learned, name: server.name }));
      const accepted = await acceptFirstTools(policy.value.toolsFile, servers);
      if (!accepted.ok) return failed({ message: accepted.failure });
      return ok({
        text: `Wrote ${file} for ${name}. Every tool needs approval until you change its rule.\n\nIn the configuration of your client, replace the server with:\n\n${clientEntry(file, place, given["token-env"])}\n`,
        json: { policy: file, server: name },
      });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === "EEXIST" ? isThere : failed({ message });
    }
  },
});

/** Makes paths absolute. Other words, such as package names, stay. */
function withFullPaths(place: UpstreamPlace): UpstreamPlace {
  if ("url" in place) return place;
  const full = (word: string) => (isPathHere(word) ? resolve(word) : word);
  // A program without a slash is searched for in PATH.
  const command = /[\\/]/.test(place.command) ? full(place.command) : place.command;
  return { ...place, command, args: place.args.map(full) };
}

/** True for a relative path of a file, or of a folder if the word has a slash or is only dots. */
function isPathHere(word: string): boolean {
  if (isAbsolute(word) || !existsSync(word)) return false;
  const found = statSync(word);
  return found.isFile() || (found.isDirectory() && /[\\/]|^\.{1,2}$/.test(word));
}

/** The entry for a client's configuration, with absolute paths because clients run it in their own folder. */
function clientEntry(file: string, place: UpstreamPlace, tokenEnv: string | undefined): string {
  const [, script = "toolpact"] = process.argv;
  const before = ["gate", "--policy", resolve(file)];
  const token = tokenEnv === undefined ? [] : ["--token-env", tokenEnv];
  const server = "url" in place ? ["--url", place.url, ...token] : ["--", place.command, ...place.args];
  const entry = { command: process.execPath, args: [resolve(script), ...before, ...server] };
  return JSON.stringify(entry, null, 2).replaceAll(/^/gm, "  ");
}
