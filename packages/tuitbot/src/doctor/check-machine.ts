import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Config } from "../config/schema.ts";
import { broken, type Check, fine, skipped, warning } from "./check.ts";

/** Whether the place for the database can be used. */
export async function checkDatabase({ storage }: Config): Promise<Check> {
  if (storage.url !== undefined) return fine("database", "PostgreSQL, by storage.url.");
  const file = await stat(storage.db_path).catch(() => undefined);
  if (file?.isDirectory())
    return broken("database", `${storage.db_path} is a folder.`, "Set storage.db_path to a file.");
  const folder = await nearestFolder(dirname(storage.db_path));
  const isWritable = await access(file === undefined ? folder : storage.db_path, constants.W_OK).then(
    () => true,
    () => false,
  );
  return isWritable
    ? fine(
        "database",
        file === undefined ? `${storage.db_path} will be made when it is needed.` : storage.db_path,
      )
    : broken(
        "database",
        `${storage.db_path} cannot be written.`,
        "Give yourself the right to, or set storage.db_path.",
      );
}

async function nearestFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

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
