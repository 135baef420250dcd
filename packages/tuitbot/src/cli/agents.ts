import { type CommandFailure, type CommandOutcome, columns, EXIT } from "@toolpact/cli";
import { DAY_MS } from "@toolpact/contract/internal";
import { formatUsd, microsOf, usdOf } from "@toolpact/contract/internal/money";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { agentId } from "../agents/agent.ts";
import type { EffectiveConfig } from "../config/effective-config.ts";
import type { WrittenLimit } from "../config/written-limit.ts";
import type { Session } from "../storage/store.ts";
import { agentJson, stateOf } from "./agent-lines.ts";
import type { Context } from "./context.ts";
import { command } from "./machine.ts";
import { profileOption } from "./serving-options.ts";

const name = {
  name: { describe: "Name of the agent, as logs and approvals show it", required: true },
} as const;

const add = command({
  name: "add",
  describe: "Create an agent with its own token",
  details:
    "Prints the token once; only its SHA-256 is stored. The agent sends it as `Authorization: Bearer …` to `mcp serve --http`, or has it in TUITBOT_AGENT_TOKEN where it starts `mcp serve` itself. Its budget and limits apply in addition to those of the account. For an existing agent, everything is replaced, including the token.",
  args: name,
  options: {
    profile: profileOption("Its profile, at most that of the server; write by default"),
    accounts: {
      kind: "list",
      placeholder: "NAMES",
      describe: "Accounts that it may act for; the account default if omitted",
    },
    "budget-day": {
      kind: "number",
      placeholder: "USD",
      describe: "Its maximum spending per day (UTC)",
      min: 0,
      max: 1_000_000,
      allowsFraction: true,
    },
    "budget-month": {
      kind: "number",
      placeholder: "USD",
      describe: "Its maximum spending per month (UTC)",
      min: 0,
      max: 1_000_000,
      allowsFraction: true,
    },
    limit: {
      kind: "list",
      placeholder: "WHAT=COUNT/PERIOD",
      describe: "Maximum calls of a tool, a category or all, per hour, day or week; reads of X count too",
    },
    subject: {
      kind: "value",
      placeholder: "SUBJECT",
      describe: "Subject (sub) of its tokens from oauth.issuer; no token is created here",
    },
    expires: {
      kind: "number",
      placeholder: "DAYS",
      describe: "Days after which the token ends",
      min: 0,
      max: 3_650,
      allowsFraction: true,
    },
  },
  examples: [
    {
      line: "tuitbot agents add news --budget-day 0.50 --limit x_post_tweet=3/day,all=20/hour",
      does: "an agent that posts up to three times a day, for at most fifty cents",
    },
    { line: "tuitbot agents add watcher --profile readonly", does: "an agent that only reads" },
    {
      line: "tuitbot agents add desk --subject 9b1f7c",
      does: "an agent whose tokens come from oauth.issuer",
    },
  ],
  async run(given, context) {
    if (!/^[A-Za-z0-9][\w.-]{0,47}$/.test(given.name))
      return usage("The name of an agent has 1 to 48 letters, digits, dots, dashes or underscores.");
    const limits = await limitsFrom(given.limit ?? [], given.name);
    if (!limits.ok) return limits;
    const now = context.machine.now();
    const agent = {
      name: given.name,
      profile: given.profile ?? "write",
      accounts: given.accounts ?? ["default"],
      perDay: given["budget-day"] === undefined ? undefined : microsOf(given["budget-day"]),
      perMonth: given["budget-month"] === undefined ? undefined : microsOf(given["budget-month"]),
      limits: limits.value,
      subject: given.subject,
      expiresAt: given.expires === undefined ? undefined : now + given.expires * DAY_MS,
    };
    const { listAgents, saveAgent } = await import("../agents/agents.ts");
    return withDatabase(context, async (db) => {
      const other = (await listAgents(db)).find(
        ({ name, subject }) => subject !== undefined && subject === given.subject && name !== given.name,
      );
      if (other !== undefined)
        return failed({ message: `The issuer names ${other.name} by this subject.`, fix: "Name another." });
      const token = await saveAgent(db, agent, now);
      if (token !== undefined) return newToken(given.name, token, { profile: agent.profile });
      return ok({
        text: `${given.name} comes with the tokens of the issuer that name ${JSON.stringify(agent.subject)}.`,
        json: { name: given.name, subject: agent.subject ?? null, profile: agent.profile },
      });
    });
  },
});

const change = command({
  name: "change",
  describe: "Give an agent another profile or budget from its next call on; its token stays",
  args: name,
  options: {
    profile: profileOption("Its profile, at most that of the server"),
    "budget-day": {
      kind: "number",
      placeholder: "USD",
      describe: "Its maximum spending per day (UTC)",
      min: 0,
      max: 1_000_000,
      allowsFraction: true,
    },
  },
  examples: [{ line: "tuitbot agents change claude --profile write", does: "lets it propose posts" }],
  async run(given, context) {
    const { changeAgent } = await import("../agents/agents.ts");
    const perDay = given["budget-day"];
    const changes = {
      ...(given.profile !== undefined && { profile: given.profile }),
      ...(perDay !== undefined && { perDay: microsOf(perDay) }),
    };
    if (Object.keys(changes).length === 0) return usage("Name --profile or --budget-day.");
    return withDatabase(context, async (db) =>
      (await changeAgent(db, given.name, changes))
        ? ok({ text: `${given.name} is changed.`, json: { name: given.name, changed: true } })
        : noSuchAgent(given.name),
    );
  },
});

const list = command({
  name: "list",
  describe: "List agents with their permissions, spending today and last call",
  examples: [{ line: "tuitbot agents list --output json", does: "for a program" }],
  async run(_, context) {
    const [{ listAgents }, { activeAgents }, { spentToday }, { limitText }] = await Promise.all([
      import("../agents/agents.ts"),
      import("../app/sign-in/active-agents.ts"),
      import("../app/sign-in/clients.ts"),
      import("../guards/policy/policy.ts"),
    ]);
    return withDatabase(context, async (db, { store }, { people }) => {
      const agents = await listAgents(db);
      const now = context.machine.now();
      const active = await activeAgents(store, agents, people, now);
      const spent = await spentToday(db, now);
      const rows = agents.map((agent) => [
        agent.name,
        agent.profile,
        agent.accounts.join(", "),
        [
          ...(agent.perDay === undefined ? [] : [`${formatUsd(agent.perDay)} a day`]),
          ...(agent.perMonth === undefined ? [] : [`${formatUsd(agent.perMonth)} a month`]),
          ...agent.limits.map((limit) => `${limit.max_count} ${limitText(limit)}`),
        ].join(", ") || "no additional limits",
        `spent ${formatUsd(spent.get(agentId(agent)) ?? 0)} today`,
        stateOf(agent, { isActive: active.has(agent), now }),
        agent.client === undefined ? "" : `signed in by ${agent.client.person} through ${agent.client.host}`,
      ]);
      return ok({
        text:
          rows.length === 0 ? "No agents yet; tuitbot agents add NAME creates one." : columns(rows).trimEnd(),
        json: {
          agents: agents.map((agent) => ({
            ...agentJson(agent, active.has(agent)),
            spent_usd_today: usdOf(spent.get(agentId(agent)) ?? 0),
          })),
        },
      });
    });
  },
});

const rotate = command({
  name: "rotate",
  describe: "Give an agent another token; the old one is refused from the next call on",
  args: name,
  examples: [{ line: "tuitbot agents rotate news", does: "prints the new token once" }],
  async run(given, context) {
    const { rotateToken } = await import("../agents/agents.ts");
    return withDatabase(context, async (db) => {
      const token = await rotateToken(db, given.name);
      return token === undefined ? noSuchAgent(given.name) : newToken(given.name, token, {});
    });
  },
});

const revoke = command({
  name: "revoke",
  describe: "Refuse an agent from its next call on, in open sessions too",
  args: name,
  examples: [{ line: "tuitbot agents revoke news", does: "ends its token on every server of the database" }],
  async run(given, context) {
    const { findAgent, revokeAgent } = await import("../agents/agents.ts");
    return withDatabase(context, async (db, { store }) => {
      const now = context.machine.now();
      const agent = await findAgent(db, given.name);
      if (!(await revokeAgent(db, given.name, now))) return noSuchAgent(given.name);
      if (agent?.client !== undefined) {
        const { endGrant } = await import("../app/sign-in/clients.ts");
        await endGrant(store, agent.client.grant, now);
      }
      return ok({
        text: `${given.name} is refused from its next call on. What it asked for and waits is still there: tuitbot approve.`,
        json: { name: given.name, revoked: true },
      });
    });
  },
});

export const agents = {
  name: "agents",
  describe: "Manage agents with tokens and signed-in clients: profile, budget and limits of each",
  examples: [...add.examples, ...revoke.examples],
  commands: [add, list, change, rotate, revoke],
};

function newToken(agent: string, token: string, more: { readonly profile?: string }): CommandOutcome {
  return ok({
    text: [
      `${agent} has this token. It is shown only now:`,
      "",
      `  ${token}`,
      "",
      'Over HTTP:  --header "Authorization: Bearer TOKEN"',
      "On stdio:   TUITBOT_AGENT_TOKEN=TOKEN",
    ].join("\n"),
    json: { name: agent, token, ...more },
  });
}

async function limitsFrom(
  texts: readonly string[],
  agent: string,
): Promise<Outcome<readonly WrittenLimit[], CommandFailure>> {
  if (texts.length === 0) return ok([]);
  const [{ limitFrom }, { isCounted }, { fullCatalog }] = await Promise.all([
    import("../guards/policy/policy.ts"),
    import("../guards/stack/caller-guards.ts"),
    import("../server/catalog.ts"),
  ]);
  const limits: WrittenLimit[] = [];
  for (const text of texts) {
    const limit = limitFrom(text, agent, fullCatalog.tools);
    if (!limit.ok) return usage(limit.failure);
    const { dimension, match_value } = limit.value;
    const tool = dimension === "tool" ? fullCatalog.get(match_value) : undefined;
    if (tool !== undefined && !isCounted(tool))
      return usage(`${match_value} asks neither X nor a model, so it is not counted under any limit.`);
    limits.push(limit.value);
  }
  return ok(limits);
}

function usage(message: string): Outcome<never, CommandFailure> {
  return failed({ message, exitCode: EXIT.usage });
}

function noSuchAgent(agent: string): Outcome<never, CommandFailure> {
  return failed({
    message: `No agent with a token is called ${JSON.stringify(agent)}.`,
    fix: "See tuitbot agents list.",
  });
}

/** Works on the database of the signed-in account. */
async function withDatabase(
  context: Context,
  work: (
    db: Session["store"]["db"],
    session: Session,
    config: Pick<EffectiveConfig, "people">,
  ) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const { withServices } = await import("./with-services.ts");
  return withServices(["db", "config"], { profile: "write" }, context, ({ db, config }) =>
    work(db.store.db, db, config),
  );
}
