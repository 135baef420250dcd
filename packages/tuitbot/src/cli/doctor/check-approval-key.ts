import { stat } from "node:fs/promises";
import type { Check } from "@toolpact/cli";
import type { Config } from "../../config/schema.ts";
import { broken, fine, warning } from "./check.ts";

/** Whether the key of the approvals is there, and nobody else's to read. What it is stays unseen. */
export async function checkApprovalKey({ approvals }: Pick<Config, "approvals">): Promise<Check> {
  const { key_file: path } = approvals;
  const file = await stat(path).catch(() => undefined);
  if (file === undefined) return fine(NAME, `${path} will be made when it is needed.`);
  if (!file.isFile()) return broken(NAME, `${path} is no file.`, "Set approvals.key_file to a file.");
  if (file.size < KEY_LENGTH)
    return broken(
      NAME,
      `${path} is no key.`,
      "Delete it; what waits for approval then has to be asked again.",
    );
  return (file.mode & 0o077) === 0
    ? fine(NAME, path)
    : warning(NAME, `Others can read ${path}.`, `Run chmod 600 ${path}.`);
}

const NAME = "approval key";
const KEY_LENGTH = 64;
