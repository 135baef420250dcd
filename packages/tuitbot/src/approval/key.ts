import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * The key of the approvals on this machine, kept outside the database and readable by its owner alone. The first
 * process makes it, the others read it.
 */
export async function approvalKey(file: string): Promise<Uint8Array> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const key = Buffer.from((await readFile(file, "utf8")).trim(), "hex");
  if (key.length !== 32)
    throw new Error(
      `${file} is not a key. Delete it to have a new one; waiting approvals then have to be made again.`,
    );
  return key;
}
