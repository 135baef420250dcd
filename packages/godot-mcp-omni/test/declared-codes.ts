import type { Manifest, OkEnvelope } from "@toolpact/contract/internal";
import { generatedFiles } from "../src/server/generate.ts";

let read: Manifest | undefined;

/** The manifest as it would be generated now. */
export function manifest(): Manifest {
  // The text of a manifest is one.
  read ??= JSON.parse(generatedFiles()["docs/generated/godot-manifest.json"] ?? "") as Manifest;
  return read;
}

/** The codes that the manifest declares for a tool, or for one of its actions. */
export function declaredCodes(tool: string, action?: string | null): readonly string[] {
  const { tools, common_error_codes } = manifest();
  const entry = tools.find(({ name }) => name === tool);
  // A name that is no tool.
  if (entry === undefined) return ["E_UNSUPPORTED"];
  const own = entry.actions?.find(({ name }) => name === action) ?? entry;
  return [...own.possible_error_codes, ...common_error_codes];
}

/** Throws where a tool fails with a code that it does not declare. */
export function checkDeclared(answer: OkEnvelope): OkEnvelope {
  const { tool, action } = answer.meta;
  if (!answer.ok && !declaredCodes(tool, action).includes(answer.error?.code ?? ""))
    throw new Error(`${tool} ${action} does not declare ${answer.error?.code}: ${answer.summary}`);
  return answer;
}
