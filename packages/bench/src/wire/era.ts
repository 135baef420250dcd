/** With a handshake, or with an envelope on every request. */
export type Era = "legacy" | "modern";

export const REVISION = { legacy: "2025-11-25", modern: "2026-07-28" } as const satisfies Record<Era, string>;

const CLIENT = { name: "toolpact-bench", version: "1.0.0" };

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": REVISION.modern,
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};

export interface RpcRequest {
  readonly method: string;
  readonly params: object;
}

export function opening(era: Era): RpcRequest {
  return era === "modern"
    ? { method: "server/discover", params: {} }
    : {
        method: "initialize",
        params: { protocolVersion: REVISION.legacy, capabilities: {}, clientInfo: CLIENT },
      };
}

export function requestText(era: Era, id: number, { method, params }: RpcRequest): string {
  const sent = era === "modern" ? { ...params, _meta: ENVELOPE } : params;
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: sent });
}

export const INITIALIZED = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
