import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, commandFor } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { firstPolicy } from "../gate/first-policy.ts";
import { Upstream, type UpstreamPlace } from "../gate/upstream.ts";
import { placeOf, placeOptions, policyOption } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

/** `toolpact gate init` */
export const gateInitCommand: Command<Machine> = command({
  name: "init",
  describe: "Write a first policy with the tools of a server",
  details:
    "Every tool needs a person until you say otherwise: what the server claims of a tool stands beside it as a comment.",
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
    const isThere = failed({ message: `${file} is there already.`, fix: "Name another with --policy FILE." });
    if (existsSync(file)) return isThere;
    const upstream = new Upstream(
      place.value,
      {},
      { notified: () => {}, asked: () => Promise.reject(new Error("Nobody is asked.")), lost: () => {} },
    );
    try {
      const { name } = await upstream.info();
      const text = firstPolicy(name, await upstream.tools(context.signal));
      const made = await open(file, "wx", 0o600);
      await made.writeFile(text);
      await made.close();
      return ok({
        text: `Wrote ${file} for ${name}. Every tool in it needs a person until you say otherwise.\n\nIn the configuration of your client, this takes the place of the server:\n\n${clientEntry(file, place.value, given["token-env"])}\n`,
        json: { policy: file, server: name },
      });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === "EEXIST" ? isThere : failed({ message });
    } finally {
      await upstream.close();
    }
  },
});

/** The gate as clients take it. They start it in a folder of their own, so that paths have to be whole. */
function clientEntry(file: string, place: UpstreamPlace, tokenEnv: string | undefined): string {
  const [, script = "toolpact"] = process.argv;
  const before = ["gate", "--policy", resolve(file)];
  const token = tokenEnv === undefined ? [] : ["--token-env", tokenEnv];
  const server = "url" in place ? ["--url", place.url, ...token] : ["--", place.command, ...place.args];
  const entry = { command: process.execPath, args: [resolve(script), ...before, ...server] };
  return JSON.stringify(entry, null, 2).replaceAll(/^/gm, "  ");
}
