import { stat } from "node:fs/promises";
import type { Check } from "@toolpact/cli";
import type { Config } from "../../config/schema.ts";
import { fine, skipped, warning } from "./check.ts";

/** Whether somebody is there to generate content. Nobody is asked. */
export function checkLanguageModel({ llm }: Config): Check {
  return llm.provider === ""
    ? skipped("language model", "None is set up; only generating content needs one.")
    : fine("language model", `${llm.provider}${llm.model === "" ? "" : `, ${llm.model}`}.`);
}

/** Whether media can be uploaded from somewhere. */
export async function checkMediaRoots({ media }: Config): Promise<Check> {
  const missing: string[] = [];
  for (const root of media.roots) {
    const found = await stat(root).catch(() => undefined);
    if (!found?.isDirectory()) missing.push(root);
  }
  if (missing.length === media.roots.length)
    return warning(
      "media",
      "None of the folders in media.roots is there, so nothing can be uploaded.",
      `Make ${missing[0] ?? "one"}, or set media.roots.`,
    );
  return fine("media", media.roots.filter((root) => !missing.includes(root)).join(", "));
}
