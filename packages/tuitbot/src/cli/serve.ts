import { command } from "./machine.ts";
import { mcpServe } from "./mcp/mcp-serve.ts";
import { profileOption, sandboxOptions } from "./serving-options.ts";

export const serve = command({
  name: "serve",
  describe: "Serve Claude, ChatGPT and other remote clients, signed in through a browser",
  details:
    "Prints what to paste into each client. A client that is added by its URL opens a browser in which you sign in and choose its profile, budget and limits. --public-url is the address at which a proxy or tunnel forwards to this server; without it, only clients of this machine connect. Sign in there with a name and passphrase: tuitbot people add NAME --role owner.",
  options: {
    "public-url": {
      kind: "value",
      placeholder: "URL",
      describe: "Public https address of this server; server.public_url by default",
    },
    port: {
      kind: "number",
      placeholder: "PORT",
      describe: "Port to listen on; server.port by default",
      min: 0,
      max: 65_535,
    },
    profile: profileOption("Maximum profile of a client; write by default"),
    ...sandboxOptions,
  },
  examples: [
    {
      line: "tuitbot serve --public-url https://bot.example",
      does: "behind a proxy or tunnel with this name",
    },
    { line: "tuitbot serve --sandbox", does: "try it with clients of this machine, on a simulated X" },
  ],
  async run({ "public-url": publicUrl, port, ...options }, context) {
    const { terminal } = context;
    const env = {
      ...terminal.env,
      ...(publicUrl !== undefined && { TUITBOT_SERVER__PUBLIC_URL: publicUrl }),
    };
    // A command without subcommands runs.
    const run = mcpServe.run as NonNullable<typeof mcpServe.run>;
    const http = port === undefined ? "" : String(port);
    return run({ ...options, http, "no-token": false }, { ...context, terminal: { ...terminal, env } });
  },
});
