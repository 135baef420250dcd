import { EFFECTS, type Failure, type JsonObject } from "@toolpact/contract";
import type { Outcome } from "@toolpact/outcome";
import type { Role } from "../app/sign-in/roles.ts";
import type { TuitbotTool } from "../guards/call/tool-facts.ts";
import { catalogFor } from "../server/catalog.ts";
import { type CommandSession, webCommands } from "./commands.ts";
import { Refusal } from "./json-http.ts";

/** A tool or a command that somebody at the dashboard calls. */
interface Callable {
  /** The role that a call with these arguments requires. */
  readonly role: (args: JsonObject) => Role;
  /** Returns the answer as JSON, or throws a `Refusal`. */
  readonly run: (args: JsonObject, session: CommandSession) => Promise<unknown>;
}

/** Finds a tool, which runs with the guards, receipts and audit of an agent's call, in the name of a person. */
export function toolNamed(name: string): Callable | undefined {
  const tool = catalogFor("admin").get(name);
  if (tool === undefined) return undefined;
  return {
    role: (args) => roleFor(tool, args),
    async run(args, { core, visitor, signal }) {
      const caller = { transport: "web", client: visitor.person } as const;
      const answer = await core.pipeline.call({ tool: name, args, caller, signal });
      if (answer.kind === "rendered") return answer.envelope;
      const message =
        answer.kind === "asks" ? `${name} asks a person, which is not possible here.` : answer.message;
      throw new Refusal(409, "refused", message);
    },
  };
}

/**
 * The role that a call of a tool requires. A viewer reads what is stored. Tools that change anything, and those that
 * call X or a model, which costs money, require the owner: an approver decides about items, which no tool does.
 */
function roleFor(tool: TuitbotTool, args: JsonObject): Role {
  const parsed = tool.parse(args);
  const effects = parsed.ok ? [parsed.value.effect] : tool.effects;
  const changes = effects.some((effect) => EFFECTS[effect].mutates);
  const costs = tool.needs.includes("x") || tool.needs.includes("llm");
  return changes || costs || tool.facts.makesCalls === true ? "owner" : "viewer";
}

export function commandNamed(name: string): Callable | undefined {
  if (!isCommand(name)) return undefined;
  const { role, input, run } = webCommands[name];
  return {
    role: (args) => (typeof role === "function" ? role(args) : role),
    async run(args, session) {
      const parsed = input.safeParse(args);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        throw new Refusal(400, "bad_request", `${issue?.path.join(".")}: ${issue?.message}.`);
      }
      // Both are of the same command; the compiler cannot see that of a name that is known only now.
      const runAny = run as (input: unknown, session: CommandSession) => Promise<Outcome<unknown, Failure>>;
      const outcome = await runAny(parsed.data, session);
      if (!outcome.ok) throw Refusal.of(409, "refused", outcome.failure);
      return outcome.value;
    },
  };
}

function isCommand(name: string): name is keyof typeof webCommands {
  return Object.hasOwn(webCommands, name);
}
