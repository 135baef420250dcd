import { type RawSender, withCallDefaults } from "@toolpact/x-api";
import type { XConnection } from "../x/connect-x.ts";
import type { X } from "../x/x.ts";
import { meteredClient, meteredSend } from "./budget/metered-client.ts";
import type { CallContext } from "./call/call-context.ts";

/** X for one call: adds what the call reads to its bill, and records what it changes in its journal. */
export function xForCall(
  connection: XConnection,
  { bill, journal }: Pick<CallContext, "bill" | "journal">,
): X {
  if (bill === undefined && journal === undefined) return connection;
  const { sendToAds } = connection;
  const recorded =
    journal === undefined ? connection.client : withCallDefaults(connection.client, { journal });
  const client = bill === undefined ? recorded : meteredClient(recorded, bill);
  const sending = (send: RawSender): RawSender => {
    const recording: RawSender = (request, args) => send(request, { ...(journal && { journal }), ...args });
    return bill === undefined ? recording : meteredSend(recording, bill);
  };
  return {
    ...connection,
    client,
    send: sending(connection.send),
    ...(sendToAds !== undefined && { sendToAds: sending(sendToAds) }),
    me: (signal) => connection.me(signal, client),
  };
}
