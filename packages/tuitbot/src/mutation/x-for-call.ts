import type { XConnection } from "../x/connect-x.ts";
import type { X } from "../x/x.ts";
import type { Bill } from "./budget/bill.ts";
import { meteredClient, meteredSend } from "./budget/metered-client.ts";

/** What one call leaves behind of its requests. */
export interface CallRecords {
  /** What the call reads is put on this bill. */
  readonly bill?: Bill | undefined;
}

/** X for one call. */
export function xForCall(connection: XConnection, { bill }: CallRecords): X {
  if (bill === undefined) return connection;
  const { send, sendToAds } = connection;
  const client = meteredClient(connection.client, bill);
  return {
    ...connection,
    client,
    send: meteredSend(send, bill),
    ...(sendToAds !== undefined && { sendToAds: meteredSend(sendToAds, bill) }),
    me: (signal) => connection.me(signal, client),
  };
}
