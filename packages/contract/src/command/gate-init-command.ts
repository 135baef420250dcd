import { open } from "node:fs/promises";
import { type Command, commandFor } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { firstPolicy } from "../gate/first-policy.ts";
import { Upstream } from "../gate/upstream.ts";
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
        text: `Wrote ${file} for ${name}. Every tool in it needs a person until you say otherwise.`,
        json: { policy: file, server: name },
      });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return failed(
        code === "EEXIST"
          ? { message: `${file} is there already.`, fix: "Name another with --policy FILE." }
          : { message },
      );
    } finally {
      await upstream.close();
    }
  },
});
