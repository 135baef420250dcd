import { randomUUID } from "node:crypto";
import { EXIT } from "@toolpact/cli";
import type { Config } from "../../config/schema.ts";
import { openChannels } from "../../notify/channels.ts";
import { recipientsOf } from "../../notify/recipients.ts";
import type { Context } from "../context.ts";

/** Sends a test message to each of these people by each of their channels. */
export async function sendTest(
  notify: Config["notify"],
  people: Config["notify"]["people"],
  { machine, signal }: Context,
) {
  const { channels, missing } = await openChannels({
    notify: { ...notify, people },
    fetch: machine.fetch,
    now: machine.now,
    signInLink: async (_email, { link }) => link,
  });
  const results: { person: string; channel: string; ok: boolean; error?: string }[] = [];
  for (const { person, channel, address } of recipientsOf(people, channels)) {
    const sent = await channel.send(
      address,
      {
        id: `tuitbot-test-${randomUUID()}`,
        kind: "test",
        title: "A test message from tuitbot",
        text: `${person.name}, messages for you arrive here: ${person.kinds.join(", ")}.`,
      },
      signal,
    );
    results.push({
      person: person.name,
      channel: channel.name,
      ok: sent.ok,
      ...(!sent.ok && { error: sent.failure.message }),
    });
  }
  const lines = [
    ...results.map(
      ({ person, channel, ok, error }) =>
        `${ok ? "sent  " : "failed"}  ${person}, ${channel}${error === undefined ? "" : `: ${error}`}`,
    ),
    ...missing.map((key) => `failed  ${key} is not set.`),
  ];
  const isFine = missing.length === 0 && results.every((result) => result.ok);
  return {
    text: lines.length === 0 ? "Nobody has an address by which they could be reached." : lines.join("\n"),
    json: { results, missing: [...missing] },
    exitCode: isFine && lines.length > 0 ? EXIT.ok : EXIT.failed,
  };
}
