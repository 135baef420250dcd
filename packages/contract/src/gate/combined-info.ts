import type { ServerCapabilities } from "@modelcontextprotocol/server";
import packageJson from "../../package.json" with { type: "json" };
import type { GateServer } from "./gate-server.ts";
import type { Policy } from "./policy.ts";
import type { UpstreamInfo } from "./upstream.ts";

const MAX_INSTRUCTIONS = 1_600;

const SEARCH_INSTRUCTIONS =
  "The list of tools begins with find_tools only, which finds the others by task and adds them. ";
const GATE_INSTRUCTIONS =
  "Some calls wait for approval, and an answer that says so is no failure. Go on with something else and make the same call with the same arguments later to get its outcome.";

/** The description of the gate to its clients. */
export interface CombinedInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly capabilities: ServerCapabilities;
  /** True if a server from before 2026 is behind the gate. */
  readonly isLegacy: boolean;
}

/** A single server describes itself; the descriptions of several are put together. */
export function combinedInfo({
  policy,
  servers,
}: {
  readonly policy: Policy;
  readonly servers: readonly GateServer[];
}): CombinedInfo {
  const hasSearch = policy.list === "search";
  const behavior = hasSearch ? `${SEARCH_INSTRUCTIONS}${GATE_INSTRUCTIONS}` : GATE_INSTRUCTIONS;
  const known = servers.flatMap(({ policy: own, info }) => {
    const given = info();
    return given === undefined ? [] : [{ own, given }];
  });
  const isLegacy = known.some(({ given }) => !given.isModern);
  const capabilities = known.map(({ own, given }) => passed(given, own)).reduce(merged, {});
  const [only, ...others] = known;
  if (only !== undefined && others.length === 0 && servers.length === 1) {
    const { name, version, instructions = "" } = only.given;
    const said = instructions === "" ? "" : `${instructions.slice(0, MAX_INSTRUCTIONS)}\n\n`;
    return {
      name,
      version,
      capabilities: hasSearch ? { ...capabilities, tools: { listChanged: true } } : capabilities,
      isLegacy,
      instructions: `${said}This server runs behind a gate. ${behavior}`,
    };
  }
  const each = Math.floor(MAX_INSTRUCTIONS / Math.max(1, known.length));
  const parts = known.map(({ own: { name, prefix }, given: { instructions = "" } }) => {
    const named = prefix === "" ? name : `${name} (${prefix}…)`;
    return instructions === "" ? named : `${named}: ${instructions.slice(0, each)}`;
  });
  return {
    name: policy.name,
    version: packageJson.version,
    // Servers appear and change while the gate runs.
    capabilities: { ...capabilities, tools: { listChanged: true } },
    isLegacy,
    instructions: `This gate has several servers, whose tools begin with the server's name. ${behavior}\n\n${parts.join("\n")}`,
  };
}

/** Combines the capabilities of all servers: the gate has each that one of them has. */
function merged(one: ServerCapabilities, other: ServerCapabilities): ServerCapabilities {
  const { tools, resources, prompts, completions, logging } = { ...one, ...other };
  return {
    ...(tools && { tools: { ...one.tools, ...onlyTrue(other.tools) } }),
    ...(resources && { resources: { ...one.resources, ...onlyTrue(other.resources) } }),
    ...(prompts && { prompts: { ...one.prompts, ...onlyTrue(other.prompts) } }),
    ...(completions && { completions }),
    ...(logging && { logging }),
  };
}

function onlyTrue<T extends object>(flags: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(flags ?? {}).filter(([, flag]) => flag === true)) as Partial<T>;
}

function passed(
  { capabilities: { tools, resources, prompts, completions, logging } }: UpstreamInfo,
  { passesResources, passesPrompts }: { readonly passesResources: boolean; readonly passesPrompts: boolean },
): ServerCapabilities {
  return {
    ...(tools && { tools }),
    ...(resources && passesResources && { resources }),
    ...(prompts && passesPrompts && { prompts }),
    ...(completions && { completions }),
    ...(logging && { logging }),
  };
}
