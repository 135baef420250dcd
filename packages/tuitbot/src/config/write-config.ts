import { existsSync } from "node:fs";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/contract";
import { makeFolder } from "@toolpact/file-lock";
import { accountOf, DEFAULT_ACCOUNT } from "./account-name.ts";
import { commentedConfig, type KeyValues, withKeys } from "./config-file.ts";
import { type ConfigPlace, configPath, loadConfig } from "./load.ts";
import { problemLine } from "./problem.ts";

/**
 * Keeps comments. Writes only a valid result; named accounts are under `[accounts.NAME]`. Returns the path,
 * or the reason.
 */
export async function writeConfig(place: ConfigPlace, values: KeyValues): Promise<Outcome<string, string>> {
  const { path } = configPath(place);
  const account = accountOf(place);
  const isThere = existsSync(path);
  const content = withKeys(
    isThere ? await readFile(path, "utf8") : commentedConfig(),
    values,
    account === DEFAULT_ACCOUNT ? undefined : account,
  );
  if (!content.ok) return failed(`${path} was left alone. ${content.failure}`);
  await makeFolder(dirname(path));
  const draft = `${path}.${process.pid}.new`;
  try {
    const mode = isThere ? (await stat(path)).mode & 0o777 : 0o600;
    await writeFile(draft, content.value, { mode });
    const checked = await loadConfig({ ...place, argument: draft });
    if (!checked.ok) return failed(checked.failure.problems.map(problemLine).join(" "));
    await rename(draft, path);
    return ok(path);
  } finally {
    await rm(draft, { force: true });
  }
}
