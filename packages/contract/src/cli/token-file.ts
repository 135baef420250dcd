import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, open, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { CommandFailure } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";

/** The token of this user's HTTP servers: made by the first start, read by every later one, private to the user. */
export async function storedToken(file: string): Promise<Outcome<string, CommandFailure>> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await createOnce(file);
    return await readToken(file);
  } catch (error) {
    // Whatever these functions of Node throw has a code.
    const { code } = error as NodeJS.ErrnoException;
    return failed({ message: `The token file ${file} cannot be used (${code}).` });
  }
}

/** Written completely before it gets its name, so that nobody reads half a token; the first process wins. */
async function createOnce(file: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, randomBytes(32).toString("base64url"), { flag: "wx", mode: 0o600 });
  try {
    await link(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(temporary);
  }
}

async function readToken(file: string): Promise<Outcome<string, CommandFailure>> {
  await using handle = await open(file);
  const { mode } = await handle.stat();
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    return failed({
      message: `Other users can read the token in ${file}.`,
      fix: "Delete the file; the next start makes a new token.",
    });
  const token = (await handle.readFile("utf8")).trim();
  if (token.length < MIN_LENGTH)
    return failed({
      message: `${file} does not hold a token.`,
      fix: "Delete the file; the next start makes a new token.",
    });
  return ok(token);
}

const MIN_LENGTH = 32;
