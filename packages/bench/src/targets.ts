import type { Transport } from "./metrics.ts";
import type { Era } from "./wire/era.ts";

/** Each on the newest protocol revision it supports. */
export const TARGETS = [
  { name: "node", title: "Node alone", era: "modern" },
  { name: "sdk-v2", title: "MCP SDK v2", era: "modern" },
  { name: "sdk-v2-built", title: "MCP SDK v2, bundled", era: "modern" },
  { name: "sdk-v1", title: "MCP SDK v1", era: "legacy", once: true },
  { name: "fastmcp", title: "fastmcp", era: "legacy", once: true },
  { name: "mcp-ts-core", title: "mcp-ts-core", era: "legacy", once: true },
  { name: "xmcp", title: "xmcp", era: "modern", once: true },
  { name: "mcp-use", title: "mcp-use", era: "modern", transports: ["http"], once: true },
  { name: "toolpact", title: "@toolpact/contract", era: "modern" },
] as const satisfies readonly TargetOptions[];

interface TargetOptions {
  readonly name: string;
  readonly title: string;
  readonly era: Era;
  /** Only in the first run, because no goal is judged by it. */
  readonly once?: boolean;
  /** Default: both. */
  readonly transports?: readonly Transport[];
}

export type TargetName = (typeof TARGETS)[number]["name"];

export type Target = TargetOptions & { readonly name: TargetName };

export interface LeftOut {
  readonly name: TargetName;
  readonly why: string;
}

export const BASELINE = "sdk-v2" satisfies TargetName;
