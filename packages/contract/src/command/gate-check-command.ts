import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, type CommandContext, type CommandFailure, commandFor, EXIT } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import type { CallFacts } from "../gate/conditions.ts";
import type { Policy } from "../gate/policy.ts";
import { RULES } from "../gate/tool-rules.ts";
import type { UpstreamPlace } from "../gate/upstream-place.ts";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import { placeOf, placeOptions, policyIn, policyOption } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

export const gateCheckCommand: Command<Machine> = command({
  name: "check",
  describe: "Find rules of a policy that match no tool or are never used",
  details:
    "Compares the rules with the tools that each server listed last. Starts servers that have not run behind the gate yet. Exits with 1 if something is wrong, for CI.",
  options: { ...policyOption, ...placeOptions },
  examples: [
    { line: "toolpact gate check", does: "checks gate.toml" },
    {
      line: "toolpact gate check -- npx -y @modelcontextprotocol/server-memory",
      does: "checks it before the gate has run",
    },
  ],
  async run({ policy: file, ...given }, context) {
    const policy = await policyIn(file, context.terminal.env);
    if (!policy.ok) return policy;
    const { checkPolicy } = await import("../gate/check-policy.ts");
    const problems = checkPolicy(policy.value, await listedTools(policy.value, given, context));
    return ok({
      text: problems.length === 0 ? "Every rule applies to a tool." : problems.join("\n"),
      json: { problems },
      exitCode: problems.length === 0 ? EXIT.ok : EXIT.failed,
    });
  },
});

/** The tools each server listed last; a server that has never run is started. */
async function listedTools(
  { servers, toolsFile }: Policy,
  given: Parameters<typeof placeOf>[0],
  context: Pick<CommandContext<Machine, unknown>, "machine" | "terminal" | "signal">,
): Promise<ReadonlyMap<string, Outcome<readonly JsonObject[], string>>> {
  const { openServerMemory } = await import("../gate/server-memory.ts");
  const { learnServer } = await import("../gate/learn-server.ts");
  const memory = openServerMemory(toolsFile);
  const listed = new Map<string, Outcome<readonly JsonObject[], string>>();
  for (const { name, place = namedPlace(given, context) } of servers) {
    const known = memory.get(name)?.listed;
    if (known !== undefined) listed.set(name, ok(known));
    else if (!place.ok) listed.set(name, place);
    else
      listed.set(
        name,
        await learnServer(place.value, context.signal).then(
          ({ tools }) => ok(tools),
          (error: Error) => failed(error.message),
        ),
      );
  }
  return listed;
}

function namedPlace(
  given: Parameters<typeof placeOf>[0],
  context: Pick<CommandContext<Machine, unknown>, "machine" | "terminal">,
): Outcome<UpstreamPlace, string> {
  const place = placeOf(given, context);
  return place.ok ? place : failed("It has never run: name it after --, or start the gate once.");
}

const factOptions = {
  caller: { kind: "value", placeholder: "ID", describe: "The identity of the caller's token" },
  client: { kind: "value", placeholder: "NAME", describe: "The name of the client" },
  at: {
    kind: "value",
    placeholder: "TIME",
    describe: "The time of the call, such as 2026-11-18T09:30; now unless given",
  },
} as const;

export const gateExplainCommand: Command<Machine> = command({
  name: "explain",
  describe: "Show which rule applies to a call, and why",
  details: "Nothing is sent, and no server is started.",
  args: {
    tool: { describe: "The tool, by the name that clients see", required: true },
    arguments: { describe: "Its arguments, as JSON; {} unless given", required: false },
  },
  options: { ...policyOption, ...factOptions },
  examples: [
    {
      line: `toolpact gate explain write_file '{"path": "/home/me/notes/a.txt"}'`,
      does: "shows whether this call would need approval",
    },
  ],
  async run({ tool, arguments: text = "{}", policy: file, caller, client, at }, { terminal }) {
    const policy = await policyIn(file, terminal.env);
    if (!policy.ok) return policy;
    const args = parseJson(text);
    if (!isJsonObject(args))
      return failed({ message: "The arguments are no JSON object.", exitCode: EXIT.usage });
    const facts = factsOf({ args, caller, client, at });
    if (!facts.ok) return facts;
    const { explainCall } = await import("../gate/check-policy.ts");
    const found = explainCall(policy.value, tool, facts.value);
    if (found === undefined)
      return failed({ message: `No server of the policy has tools named like ${tool}.` });
    return ok({ text: `${found.rule}: ${found.reason}.`, json: { ...found, entry: found.entry ?? null } });
  },
});

const expectations = z.strictObject({
  expect: z
    .array(
      z.strictObject({
        tool: z.string().min(1),
        args: z.custom<JsonObject>(isJsonObject).default({}),
        caller: z.string().optional(),
        client: z.string().optional(),
        at: z.string().optional(),
        rule: z.enum(RULES),
      }),
    )
    .min(1),
});

export const gateTestCommand: Command<Machine> = command({
  name: "test",
  describe: "Compare the decisions of a policy with a file of expected ones",
  details:
    "The file is TOML with a table [[expect]] for each call: tool, args, rule, and optionally caller, client and at. Exits with 1 if a decision differs.",
  args: { file: { describe: "The expected decisions", required: true } },
  options: policyOption,
  examples: [{ line: "toolpact gate test decisions.toml", does: "checks each decision, for CI" }],
  async run({ file, policy: policyFile }, { terminal }) {
    const policy = await policyIn(policyFile, terminal.env);
    if (!policy.ok) return policy;
    const text = await readFile(resolve(file), "utf8").catch((error: NodeJS.ErrnoException) => error);
    if (text instanceof Error) return failed({ message: `${file} cannot be read: ${text.code}.` });
    const { tomlIn } = await import("../cli/edit-toml.ts");
    const parsed = expectations.safeParse(await tomlIn(text));
    if (!parsed.success)
      return failed({ message: `${file} has no expected decisions:\n${z.prettifyError(parsed.error)}` });
    const { explainCall } = await import("../gate/check-policy.ts");
    const wrong: string[] = [];
    for (const [index, { tool, rule, ...given }] of parsed.data.expect.entries()) {
      const facts = factsOf(given);
      if (!facts.ok) return facts;
      const found = explainCall(policy.value, tool, facts.value);
      if (found?.rule !== rule)
        wrong.push(
          `${index + 1}. ${tool}: expected ${rule}, but it is ${found === undefined ? "no tool of a server" : `${found.rule}: ${found.reason}`}.`,
        );
    }
    const { length } = parsed.data.expect;
    return ok({
      text: [...wrong, `${length - wrong.length} of ${length} decisions are as expected.`].join("\n"),
      json: { passed: length - wrong.length, wrong },
      exitCode: wrong.length === 0 ? EXIT.ok : EXIT.failed,
    });
  },
});

function factsOf({
  args,
  caller = "",
  client = "",
  at,
}: {
  readonly args: JsonObject;
  readonly caller?: string | undefined;
  readonly client?: string | undefined;
  readonly at?: string | undefined;
}): Outcome<CallFacts, CommandFailure> {
  const time = at === undefined ? new Date() : new Date(at);
  if (Number.isNaN(time.getTime()))
    return failed({ message: `${JSON.stringify(at)} is no time.`, exitCode: EXIT.usage });
  return ok({ args, caller, client, at: time });
}
