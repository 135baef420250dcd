import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import type { CommandFailure } from "@toolpact/cli";
import { createPrivateFile, readTextFile } from "@toolpact/file-lock";
import { failed, type Outcome, ok } from "@toolpact/outcome";

/** The private token of this user's HTTP servers, created by the first start. */
export async function storedToken(file: string): Promise<Outcome<string, CommandFailure>> {
  try {
    await createPrivateFile(file, randomBytes(32).toString("base64url"));
    return await readToken(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return failed({ message: `The token file ${file} cannot be used (${code}).` });
  }
}

async function readToken(file: string): Promise<Outcome<string, CommandFailure>> {
  const { mode } = await stat(file);
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    return failed({
      message: `Other users can read the token in ${file}.`,
      fix: "Delete the file; the next start makes a new token.",
    });
  const token = (await readTextFile(file)).trim();
  if (token.length < MIN_LENGTH)
    return failed({
      message: `${file} does not hold a token.`,
      fix: "Delete the file; the next start makes a new token.",
    });
  return ok(token);
}

const MIN_LENGTH = 32;
