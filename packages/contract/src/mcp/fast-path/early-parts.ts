import type { McpApp } from "../app.ts";
import { type Connection, internals, type Updates } from "../internals.ts";
import type { CallConnection } from "../request.ts";
import type { Telemetry } from "../telemetry.ts";
import type { Handshake, HandshakeClient } from "./handshake.ts";

/** Enough to answer a client before the SDK is loaded. */
export interface EarlyParts extends Pick<Connection, "core" | "outputSchemas"> {
  readonly handshake: () => Handshake;
  readonly onListed: () => void;
  readonly updates: Updates;
}

/** Undefined if the SDK may answer differently, or telemetry must see every request. */
export function partsWithoutSdk(app: McpApp, telemetry: Telemetry | undefined): EarlyParts | undefined {
  const { handshake, servers } = app[internals];
  if (handshake === undefined || typeof servers === "function" || telemetry !== undefined) return undefined;
  const { core, outputSchemas = true, onListed, updates } = servers;
  return { core, outputSchemas, handshake, onListed, updates };
}

export function earlyConnection(
  { core, outputSchemas, handshake }: EarlyParts,
  { era, info, capabilities }: HandshakeClient,
  transport: Connection["transport"],
  sendLoggingMessage: CallConnection["server"]["sendLoggingMessage"],
): CallConnection & Pick<Connection, "serverInfo"> {
  const { name, version } = handshake();
  return {
    era,
    transport,
    core,
    outputSchemas,
    serverInfo: { name, version },
    server: {
      getClientVersion: () => info,
      getClientCapabilities: () => capabilities,
      sendLoggingMessage,
    },
  };
}
