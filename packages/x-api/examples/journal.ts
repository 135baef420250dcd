import { type NotSent, notSent, type RequestJournal, withCallDefaults, type XClient } from "@toolpact/x-api";

/** A client that records its writes in `log` and allows one. */
export function recordingClient(client: XClient, log: string[]): XClient {
  const journal: RequestJournal = {
    async beforeSend({ operation, target }) {
      if (log.length > 0) {
        const failure: NotSent = notSent("one_only", "This program sends one write.");
        return { ok: false, failure };
      }
      log.push(`about to send ${operation} to ${target}`);
      return {
        ok: true,
        value: { afterAnswer: async ({ state }) => void log.push(`${operation} is ${state}`) },
      };
    },
  };
  return withCallDefaults(client, { journal });
}
