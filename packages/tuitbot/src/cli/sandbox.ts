import { EXIT, untilStopped } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { command } from "./machine.ts";
import { sandboxPlans } from "./serving-options.ts";

export const sandbox = command({
  name: "sandbox",
  describe: "Run the sandbox, a simulated X, on this machine, for any X client",
  options: {
    port: {
      kind: "number",
      placeholder: "PORT",
      describe: "Port on 127.0.0.1; any free one by default",
      min: 0,
      max: 65_535,
    },
    plan: {
      kind: "value",
      placeholder: "PLAN",
      describe: "X's plan; enterprise, which allows everything, by default",
      choices: sandboxPlans,
    },
    speed: {
      kind: "number",
      placeholder: "TIMES",
      describe: "How many times as fast as real time its clock runs",
      min: 1,
      max: 3_600,
    },
  },
  examples: [
    { line: "tuitbot sandbox --speed 60", does: "lets an hour pass in a minute" },
    { line: "tuitbot sandbox", does: "prints its URL, a token and commands to try" },
    { line: "tuitbot sandbox --plan self_serve", does: "refuses what X refuses on its self-serve plan" },
  ],
  async run({ port = 0, plan, speed }, { terminal, signal, isJson }) {
    const { sandboxWorld } = await import("../x/sandbox-account.ts");
    const world = sandboxWorld(plan ?? "enterprise", { speed });
    const token = await world.account.tokens.userToken();
    if (!token.ok) return failed({ message: "The sandbox has no signed-in user." });
    try {
      const url = await world.sandbox.listen(port);
      terminal.out(
        isJson ? `${JSON.stringify({ url, access_token: token.value })}\n` : welcome(url, token.value),
      );
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
      return failed({ message: `Port ${port} is taken.`, fix: "Name another: --port PORT." });
    }
    await untilStopped(signal);
    await world.sandbox.close();
    return ok({ text: "", json: { stopped: true }, exitCode: EXIT.ok });
  },
});

function welcome(url: string, token: string): string {
  return `The sandbox, a simulated X, at ${url}

  who am I      curl -H "Authorization: Bearer ${token}" ${url}/2/users/me
  its inside    curl ${url}/_sandbox
  tuitbot init  TUITBOT_X_API__BASE_URL=${url} tuitbot init
                with the client id from ${url}/_sandbox/credentials

Stop with Ctrl-C.
`;
}
