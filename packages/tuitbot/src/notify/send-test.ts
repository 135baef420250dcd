import { randomUUID } from "node:crypto";
import { openChannels } from "@toolpact/contract/internal/notify";
import type { Config } from "../config/schema.ts";
import type { NotifierContext } from "./open-notifier.ts";
import { SENDER } from "./person.ts";
import { recipientsOf } from "./recipients.ts";

/** By each channel. `missing` are settings without a value. */
export async function sendTest(
  notify: Config["notify"],
  people: Config["notify"]["people"],
  { machine, signal }: Pick<NotifierContext, "machine" | "signal">,
) {
  const { channels, missing } = await openChannels({
    notify: { ...notify, people },
    sender: SENDER,
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
  return { results, missing };
}
