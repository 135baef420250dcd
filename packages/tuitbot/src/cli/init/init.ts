import { EXIT } from "@toolpact/cli";
import { failed } from "@toolpact/outcome";
import { command } from "../machine.ts";

export const init = command({
  name: "init",
  describe: "Set up tuitbot step by step: X app, sign-in, spending caps, voice, language model, MCP client",
  details:
    "Shows every file it would write, and writes it when you agree. Nothing is posted. Run it again at any time: existing settings are kept. Ctrl-C stops it and leaves every file complete.",
  examples: [
    { line: "tuitbot init", does: "sets up everything, in about five minutes" },
    { line: "tuitbot -c work.toml init", does: "writes another configuration file" },
  ],
  async run(_, context) {
    if (!context.terminal.isInteractive || context.isJson)
      return failed({
        message: "tuitbot init asks questions, and this is not a terminal.",
        fix: "Run it in one; or write the file with `tuitbot config init`, sign in with `tuitbot auth login --manual`, and add the client with `tuitbot mcp setup --client NAME --yes`.",
        exitCode: EXIT.usage,
      });
    const { guide } = await import("./guide.ts");
    return guide(context);
  },
});
