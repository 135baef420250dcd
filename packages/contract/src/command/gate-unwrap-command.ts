import { type Command, commandFor, EXIT } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { findClients, GATE_ENTRY, gateFolder, openWrapRecord, unwrapClient } from "../cli/wrap.ts";
import type { JsonObject } from "../json.ts";
import { clientOption, placeIn, yesOption } from "./gate-wrap-command.ts";
import type { globalOptions, Machine } from "./globals.ts";

const command = commandFor<Machine, typeof globalOptions>();

export const gateUnwrapCommand: Command<Machine> = command({
  name: "unwrap",
  describe: "Restore the client files that toolpact gate wrap changed",
  details:
    "A file that has not changed since gets its bytes back. In one that has, the gate is removed and the servers are added again. The policy and the log stay. It does not ask, with or without --yes.",
  options: { ...clientOption, ...yesOption },
  examples: [{ line: "toolpact gate unwrap", does: "restores all files" }],
  async run({ client: wanted }, context) {
    const record = await openWrapRecord(gateFolder(placeIn(context)));
    if (!record.ok) return failed({ message: record.failure });
    const lines: string[] = [];
    const json: JsonObject[] = [];
    let isComplete = true;
    let left = record.value.all;
    for (const one of record.value.all) {
      if (wanted !== undefined && !wanted.includes(one.client)) continue;
      const restored = await unwrapClient(one);
      isComplete &&= restored.ok;
      lines.push(restored.ok ? `${one.file}: ${RESTORED[restored.value]}` : restored.failure);
      json.push({ client: one.client, file: one.file, restored: restored.ok ? restored.value : false });
      if (!restored.ok) continue;
      left = left.filter((other) => other !== one);
      await record.value.save(left);
    }
    return ok({
      text: lines.length === 0 ? "Nothing is wrapped." : `${lines.join("\n")}\n`,
      json: { clients: json },
      ...(!isComplete && { exitCode: EXIT.failed }),
    });
  },
});

const RESTORED = {
  bytes: "restored, byte for byte",
  servers: "its servers are back; it had other changes since, which were kept",
  already: "was as before already",
} as const;

export const gateStatusCommand: Command<Machine> = command({
  name: "status",
  describe: "Show which servers of which clients are behind the gate",
  options: {},
  examples: [{ line: "toolpact gate status", does: "lists the clients and their servers" }],
  async run(_, context) {
    const place = placeIn(context);
    const record = await openWrapRecord(gateFolder(place));
    if (!record.ok) return failed({ message: record.failure });
    const { found, problems } = await findClients(place, undefined);
    const clients = found.map(({ client, file, servers }) => {
      const behind = record.value.all.find((one) => one.file === file);
      return {
        client: client.id,
        title: client.title,
        file,
        wrapped: Object.keys(behind?.entries ?? {}),
        direct: servers.map(({ name }) => name).filter((name) => behind === undefined || name !== GATE_ENTRY),
      };
    });
    const line = (title: string, names: readonly string[]) =>
      names.length === 0 ? "" : `  ${title}: ${names.join(", ")}\n`;
    return ok({
      text:
        [
          ...clients.map(
            ({ title, file, wrapped, direct }) =>
              `${title}: ${file}\n${line("behind the gate", wrapped)}${line("direct", direct)}`,
          ),
          ...problems,
        ].join("\n") || "No client has servers.",
      json: { clients, problems },
    });
  },
});
