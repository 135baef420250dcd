import { type Command, type CommandOutcome, columns, commandFor } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { systemClock } from "../clock.ts";
import type { GateClient, GateClients } from "../gate/clients.ts";
import { formatUsd, microsOf, usdOf } from "../guards/money.ts";
import { formatTime } from "../guards/shown-text.ts";
import type { SqlDatabase } from "../guards/sql.ts";
import { openPolicy, policyOption } from "./gate-place.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

const name = { name: { describe: "Name of the client, as the list shows it", required: true } } as const;

const change = command({
  name: "change",
  describe: "Give a client other permissions, within seconds",
  args: name,
  options: {
    ...policyOption,
    may: {
      kind: "value",
      placeholder: "WHAT",
      describe: "read: only tools with the rule read_only; write: all tools, under the policy",
      choices: ["read", "write"],
    },
    "calls-per-day": {
      kind: "number",
      placeholder: "N",
      describe: "The most calls in a day",
      min: 1,
      max: 100_000,
    },
    "usd-per-day": {
      kind: "number",
      placeholder: "USD",
      describe: "The most that it may spend in a day (UTC)",
      min: 0,
      max: 1_000_000,
      allowsFraction: true,
    },
  },
  examples: [{ line: "toolpact gate clients change claude --may write", does: "lets it call every tool" }],
  run: ({ name: chosen, policy, may, "calls-per-day": calls, "usd-per-day": usd }, { terminal }) =>
    withClients(policy, terminal, async (clients) => {
      const found = (await clients.list()).find((client) => client.name === chosen);
      const changed =
        found !== undefined &&
        (await clients.change(chosen, {
          mayWrite: may === undefined ? found.mayWrite : may === "write",
          callsPerDay: calls ?? found.callsPerDay,
          usdPerDay: usd ?? found.usdPerDay,
        }));
      return changed
        ? ok({ text: `${chosen} is changed.`, json: { name: chosen, changed } })
        : noClient(chosen);
    }),
});

const revoke = command({
  name: "revoke",
  describe: "End the sign-in of a client: its tokens are refused and its streams end within seconds",
  args: name,
  options: policyOption,
  examples: [{ line: "toolpact gate clients revoke claude", does: "refuses it from then on" }],
  run: ({ name: chosen, policy }, { terminal }) =>
    withClients(policy, terminal, async (clients, database, scope) => {
      const found = (await clients.list()).find((client) => client.name === chosen);
      if (found === undefined || !(await clients.revoke(chosen))) return noClient(chosen);
      const { openRecords } = await import("../oauth/records.ts");
      const records = await openRecords(database, scope, () => systemClock.now());
      await records.revokeGrant(found.grantId);
      return ok({ text: `${chosen} is revoked.`, json: { name: chosen, revoked: true } });
    }),
});

export const gateClientsCommand: Command<Machine> = {
  ...command({
    name: "clients",
    describe: "List the clients that were signed in, with permissions, spending and last use",
    options: policyOption,
    examples: [{ line: "toolpact gate clients --output json", does: "for a program" }],
    run: ({ policy }, { terminal }) =>
      withClients(policy, terminal, async (clients) => {
        const rows = await Promise.all(
          (await clients.list()).map(async (client) => ({
            client,
            spent: await clients.spentToday(client.name),
          })),
        );
        return ok({
          text:
            rows.length === 0
              ? "No client was signed in. Serve the gate with --http --sign-in."
              : columns(rows.map(({ client, spent }) => rowOf(client, formatUsd(spent)))).trimEnd(),
          json: {
            clients: rows.map(({ client, spent }) => ({ ...jsonOf(client), spent_usd_today: usdOf(spent) })),
          },
        });
      }),
  }),
  commands: [change, revoke],
};

function rowOf(
  { name, mayWrite, callsPerDay, usdPerDay, client, usedAt, revokedAt }: GateClient,
  spent: string,
) {
  const used = usedAt === undefined ? "not used yet" : `last used ${formatTime(usedAt)}`;
  return [
    name,
    mayWrite ? "write" : "read",
    `${callsPerDay} calls and ${formatUsd(microsOf(usdPerDay))} a day`,
    `${spent} today`,
    revokedAt === undefined ? used : `revoked ${formatTime(revokedAt)}`,
    `signed in through ${client.host}`,
  ];
}

function jsonOf({ name, mayWrite, callsPerDay, usdPerDay, client, ...times }: GateClient) {
  const iso = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    name,
    may: mayWrite ? "write" : "read",
    calls_per_day: callsPerDay,
    usd_per_day: usdPerDay,
    client: { name: client.name, host: client.host, verified_by: client.verifiedBy ?? null },
    created_at: iso(times.createdAt),
    last_used_at: iso(times.usedAt),
    revoked_at: iso(times.revokedAt),
  };
}

function noClient(chosen: string): CommandOutcome {
  return failed({
    message: `No client that may call is named ${JSON.stringify(chosen)}.`,
    fix: "See toolpact gate clients.",
  });
}

async function withClients(
  file: string | undefined,
  terminal: Parameters<typeof openPolicy>[1]["terminal"],
  work: (clients: GateClients, database: SqlDatabase, signInScope: string) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const opened = await openPolicy(file, { terminal });
  if (!opened.ok) return opened;
  const { policy, storage } = opened.value;
  const [{ openClients, signInScope }, { openDatabase }] = await Promise.all([
    import("../gate/clients.ts"),
    import("../gate/open-store.ts"),
  ]);
  const database = await openDatabase(policy);
  try {
    const clients = await openClients(database, policy.name, () => systemClock.now());
    return await work(clients, database, signInScope(policy.name));
  } finally {
    await database.close();
    await storage.close();
  }
}
