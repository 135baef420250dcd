import type { JsonObject } from "../json.ts";
import type { Surface } from "../surface.ts";
import { cacheHints, capabilitiesOf, NEVER_CHANGES } from "./capabilities.ts";

/** What the first answers to a client are made of, as plain JSON: it can be made when a server is built. */
export interface Opening {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly capabilities: JsonObject;
  readonly toolsChange: boolean;
  /** The list of tools as JSON. */
  readonly tools: string;
}

interface OpeningOptions {
  /** False leaves the output schemas out of the list. */
  readonly outputSchemas?: boolean | undefined;
  readonly toolsChange?: boolean;
  readonly hasTasks?: boolean;
}

/** The opening of an app with these options of `createMcpApp`. */
export function openingOf(surface: Surface, options: OpeningOptions = {}): Opening {
  const { toolsChange = false, outputSchemas = true } = options;
  const { name, version, instructions, tools } = surface;
  return {
    name,
    version,
    instructions,
    capabilities: capabilitiesOf(surface, options),
    toolsChange,
    // Written when it is asked for: the handshake does not need it.
    get tools() {
      return JSON.stringify(outputSchemas ? tools : tools.map(({ outputSchema: _, ...tool }) => tool));
    },
  };
}

/** What becomes of a message of the opening. */
export type Opened =
  /** It is answered with this line. */
  | { readonly kind: "answered"; readonly id: string | number; readonly line: string }
  /** It needs no answer. */
  | { readonly kind: "heard" }
  /** It is for the server behind the opening, as is everything after it. */
  | { readonly kind: "passed" };

/**
 * Answers the handshake, `ping` and the list of tools, in both eras of the protocol, as the SDK's server does, byte for
 * byte, before that is loaded. What is in any way unusual is passed, so that it alone decides about it.
 */
export function openingDialogue(current: () => Opening): (line: string) => Opened {
  let era: "open" | "legacy" | "modern" = "open";

  const resultOf = (method: unknown, params: unknown): string | undefined => {
    const opening = current();
    const { name, version, instructions, capabilities, toolsChange } = opening;
    const hints = cacheHints(NEVER_CHANGES, toolsChange);
    const said = instructions === "" ? {} : { instructions };
    const about = { _meta: { [`${PREFIX}serverInfo`]: { name, version } } };
    if (method === "initialize" && era === "open" && isInitialize(params)) {
      era = "legacy";
      return JSON.stringify({
        protocolVersion: VERSIONS.includes(params.protocolVersion) ? params.protocolVersion : VERSIONS[0],
        capabilities,
        serverInfo: { name, version },
        ...said,
      });
    }
    if (era === "legacy" && method === "ping" && isPlain(params)) return "{}";
    if (era === "legacy" && method === "tools/list" && isPlain(params)) return `{"tools":${opening.tools}}`;
    if (era === "legacy" || !isModern(params)) return undefined;
    if (method === "server/discover")
      return JSON.stringify({
        supportedVersions: [MODERN],
        capabilities,
        ...said,
        resultType: "complete",
        ...hints["server/discover"],
        ...about,
      });
    if (method !== "tools/list") return undefined;
    era = "modern";
    const rest = JSON.stringify({ resultType: "complete", ...hints["tools/list"], ...about });
    return `{"tools":${opening.tools},${rest.slice(1)}`;
  };

  return (line) => {
    const message = parsed(line);
    if (!isObject(message, MESSAGE) || message.jsonrpc !== "2.0") return PASSED;
    const { id, method, params } = message;
    if (id === undefined)
      return era === "legacy" && method === "notifications/initialized" && isPlain(params) ? HEARD : PASSED;
    if (!isId(id)) return PASSED;
    const result = resultOf(method, params);
    return result === undefined
      ? PASSED
      : { kind: "answered", id, line: `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}\n` };
  };
}

const PASSED: Opened = { kind: "passed" };
const HEARD: Opened = { kind: "heard" };

/** Versions of before 2026 that the SDK speaks, its favourite first; a test compares them. */
const VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
const MODERN = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";
const VERSION = `${PREFIX}protocolVersion`;
const CLIENT = `${PREFIX}clientInfo`;
const CAPABILITIES = `${PREFIX}clientCapabilities`;

const MESSAGE = ["jsonrpc", "id", "method", "params"];
/** What a client says of itself is a few levels deep; the SDK may choke on what is deeper. */
const DEEPEST = 6;

type Members = Readonly<Record<string, unknown>>;

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

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

/** Params of a request of before 2026 that say nothing. */
function isPlain(params: unknown): boolean {
  if (params === undefined) return true;
  return isObject(params, ["_meta"]) && (params._meta === undefined || isMeta(params._meta, []));
}

function isMeta(meta: unknown, known: readonly string[]): meta is Members {
  return (
    isObject(meta, ["progressToken", ...known]) &&
    (meta.progressToken === undefined || isId(meta.progressToken))
  );
}

/** Params of a request since 2026 that say nothing but who asks. */
function isModern(params: unknown): boolean {
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
    !isDeeper(value, DEEPEST) &&
    Object.entries(value).every(([key, said]) => CLIENT_CAPABILITIES[key]?.(said) === true)
  );
}

const areObjects = (value: unknown) => isObject(value) && Object.values(value).every((one) => isObject(one));

/** What clients usually say that they can do, each as the protocol defines it. */
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
