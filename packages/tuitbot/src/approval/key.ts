import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * The key of the approvals on this machine, kept outside the database and readable by its owner alone. The first
 * process makes it, the others read it.
 */
export async function approvalKey(file: string): Promise<Uint8Array> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Written whole before it has its name: nobody reads half a key, and the second to come finds the first one's.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft);
  }
  const key = Buffer.from((await readFile(file, "utf8")).trim(), "hex");
  if (key.length !== 32)
    throw new Error(
      `${file} is not a key. Delete it to have a new one; waiting approvals then have to be made again.`,
    );
  return key;
}
