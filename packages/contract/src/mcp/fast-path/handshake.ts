import type {
  ClientCapabilities,
  Implementation,
  InitializeRequestParams,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json.ts";
import type { Surface } from "../../surface.ts";
import { cacheHints, capabilitiesOf, NEVER_CHANGES } from "../capabilities.ts";
import type { Envelope } from "../request.ts";

/** A server's first answers as plain JSON, which a build can prepare. */
export interface Handshake {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly capabilities: JsonObject;
  readonly toolsChange: boolean;
  /** As JSON text. */
  readonly tools: string;
}

interface HandshakeOptions {
  /** False omits the output schemas. */
  readonly outputSchemas?: boolean | undefined;
  readonly toolsChange?: boolean;
  readonly hasTasks?: boolean;
}

export function handshakeOf(surface: Surface, options: HandshakeOptions = {}): Handshake {
  const { toolsChange = false, outputSchemas = true } = options;
  const { name, version, instructions, tools } = surface;
  return {
    name,
    version,
    instructions,
    capabilities: capabilitiesOf(surface, options),
    toolsChange,
    // Serialized on demand: `initialize` does not need it.
    get tools() {
      return JSON.stringify(outputSchemas ? tools : tools.map(({ outputSchema: _, ...tool }) => tool));
    },
  };
}

export type HandshakeAnswer =
  | {
      readonly kind: "answered";
      readonly id: string | number;
      readonly text: string;
      readonly isList: boolean;
    }
  /** Needs no answer. */
  | { readonly kind: "accepted" }
  /** Left to the server, with everything after it. */
  | { readonly kind: "passed" };

/** The client of a call as valid as the handshake. */
export interface HandshakeClient {
  readonly era: "legacy" | "modern";
  /** In the protocol before 2026-07-28. */
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities | undefined;
  /** From 2026-07-28 on. */
  readonly envelope: Envelope;
}

/**
 * Answers `initialize`, `server/discover`, `ping` and `tools/list` with the SDK server's bytes, before the
 * SDK is loaded. Messages with unknown members are left to the SDK.
 */
export class HandshakeAnswers {
  private era: "open" | "legacy" | "modern" = "open";
  private readonly current: () => Handshake;
  /** By method. */
  private readonly deciding = new Map<string, Members>();

  constructor(current: () => Handshake) {
    this.current = current;
  }

  /** True in a session of the protocol before 2026-07-28. */
  get isLegacy(): boolean {
    return this.era === "legacy";
  }

  answer(message: unknown): HandshakeAnswer {
    if (!isObject(message, MESSAGE) || message.jsonrpc !== "2.0") return PASSED;
    const { id, method, params } = message;
    if (id === undefined) {
      if (this.era !== "legacy" || method !== INITIALIZED || !hasNoParams(params)) return PASSED;
      this.deciding.set(method, message);
      return ACCEPTED;
    }
    if (!isId(id)) return PASSED;
    const result = this.resultOf(method, params);
    if (result === undefined) return PASSED;
    const text = `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
    return { kind: "answered", id, text, isList: method === "tools/list" };
  }

  /** Undefined if the SDK has to validate the call. */
  clientOf(meta: JsonObject | undefined): HandshakeClient | undefined {
    if (this.era === "legacy") {
      if (meta !== undefined) return undefined;
      const params = this.deciding.get("initialize")?.params as InitializeRequestParams | undefined;
      return {
        era: "legacy",
        info: params?.clientInfo,
        capabilities: params?.capabilities,
        envelope: undefined,
      };
    }
    const params = { _meta: meta };
    if (!isEnvelopeOnly(params)) return undefined;
    this.decide("modern", "tools/list", params);
    // Checked by hand above.
    return { era: "modern", info: undefined, capabilities: undefined, envelope: meta as Envelope };
  }

  /** Brings another server into the same state. */
  conversation(): readonly object[] {
    const ended = this.era === "open" ? this.deciding : new Map(this.deciding);
    if (this.era !== "open") ended.delete("server/discover");
    return [...ended.values()].map((message, index) =>
      message.method === INITIALIZED ? message : { ...message, id: `${REPEATED}${index}` },
    );
  }

  private decide(era: "legacy" | "modern", method: string, params: unknown): void {
    this.era = era;
    if (!this.deciding.has(method)) this.deciding.set(method, { jsonrpc: "2.0", method, params });
  }

  private resultOf(method: unknown, params: unknown): string | undefined {
    const { era } = this;
    const handshake = this.current();
    const { name, version, instructions, capabilities, toolsChange } = handshake;
    const optional = instructions === "" ? {} : { instructions };
    if (method === "initialize" && era === "open" && isInitialize(params)) {
      this.decide("legacy", method, params);
      return JSON.stringify({
        protocolVersion: VERSIONS.includes(params.protocolVersion) ? params.protocolVersion : VERSIONS[0],
        capabilities,
        serverInfo: { name, version },
        ...optional,
      });
    }
    if (era === "legacy" && method === "ping" && hasNoParams(params)) return "{}";
    if (era === "legacy" && method === "tools/list" && hasNoParams(params))
      return `{"tools":${handshake.tools}}`;
    if (era === "legacy" || !isEnvelopeOnly(params)) return undefined;
    const hints = cacheHints(NEVER_CHANGES, toolsChange);
    const about = { _meta: { [`${PREFIX}serverInfo`]: { name, version } } };
    if (method === "server/discover") {
      if (era === "open") this.deciding.set(method, { jsonrpc: "2.0", method, params });
      return JSON.stringify({
        supportedVersions: [MODERN],
        capabilities,
        ...optional,
        resultType: "complete",
        ...hints["server/discover"],
        ...about,
      });
    }
    if (method !== "tools/list") return undefined;
    this.decide("modern", method, params);
    const rest = JSON.stringify({ resultType: "complete", ...hints["tools/list"], ...about });
    return `{"tools":${handshake.tools},${rest.slice(1)}`;
  }
}

const PASSED: HandshakeAnswer = { kind: "passed" };
const ACCEPTED: HandshakeAnswer = { kind: "accepted" };
const INITIALIZED = "notifications/initialized";
/** The beginning of ids that no client uses. */
const REPEATED = "toolpact-repeated-";

/** True for a repeated message, which the client already has the answer to. */
export function isRepeated(id: string | number): boolean {
  return typeof id === "string" && id.startsWith(REPEATED);
}

/** The SDK's versions before 2026, preferred first. A test compares them. */
const VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
export const MODERN = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";
const VERSION = `${PREFIX}protocolVersion`;
const CLIENT = `${PREFIX}clientInfo`;
const CAPABILITIES = `${PREFIX}clientCapabilities`;

const MESSAGE = ["jsonrpc", "id", "method", "params"];
/** Capabilities of real clients are a few levels deep. The SDK may reject deeper ones. */
const MAX_DEPTH = 6;

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown, known?: readonly string[]): value is Members {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    (known === undefined || Object.keys(value).every((key) => known.includes(key)))
  );
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** A legacy request may have an empty or progress `_meta`. */
function hasNoParams(params: unknown): boolean {
  if (params === undefined) return true;
  return isObject(params, ["_meta"]) && (params._meta === undefined || isMeta(params._meta, []));
}

function isMeta(meta: unknown, known: readonly string[]): meta is Members {
  return (
    isObject(meta, ["progressToken", ...known]) &&
    (meta.progressToken === undefined || isId(meta.progressToken))
  );
}

/** A modern request may have only its envelope. */
function isEnvelopeOnly(params: unknown): boolean {
  return (
    isObject(params, ["_meta"]) &&
    isMeta(params._meta, [VERSION, CLIENT, CAPABILITIES]) &&
    params._meta[VERSION] === MODERN &&
    (params._meta[CLIENT] === undefined || isClient(params._meta[CLIENT])) &&
    isCapabilities(params._meta[CAPABILITIES])
  );
}

function isInitialize(params: unknown): params is { readonly protocolVersion: string } {
  return (
    isObject(params, ["protocolVersion", "capabilities", "clientInfo"]) &&
    typeof params.protocolVersion === "string" &&
    isCapabilities(params.capabilities) &&
    isClient(params.clientInfo)
  );
}

function isClient(info: unknown): boolean {
  return (
    isObject(info, ["name", "version", "title", "websiteUrl", "description"]) &&
    Object.values(info).every((value) => typeof value === "string") &&
    info.name !== undefined &&
    info.version !== undefined
  );
}

function isCapabilities(value: unknown): boolean {
  return (
    isObject(value, Object.keys(CLIENT_CAPABILITIES)) &&
    !isDeeper(value, MAX_DEPTH) &&
    Object.entries(value).every(([key, given]) => CLIENT_CAPABILITIES[key]?.(given) === true)
  );
}

const areObjects = (value: unknown) => isObject(value) && Object.values(value).every((one) => isObject(one));

/** Each with the protocol's definition. */
const CLIENT_CAPABILITIES: Readonly<Record<string, (value: unknown) => boolean>> = {
  roots: (value) =>
    isObject(value, ["listChanged"]) && ["boolean", "undefined"].includes(typeof value.listChanged),
  sampling: (value) => isObject(value, ["context", "tools"]) && areObjects(value),
  elicitation: (value) =>
    isObject(value, ["form", "url"]) &&
    areObjects(value) &&
    (value.form === undefined || isObject(value.form, [])),
  experimental: areObjects,
  extensions: areObjects,
};

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}
