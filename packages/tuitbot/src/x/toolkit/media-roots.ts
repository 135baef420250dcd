import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Failed, Failure } from "@toolpact/contract";
import { ok } from "@toolpact/contract";
import { errors } from "../../errors.ts";
import type { FromX } from "./ask-x.ts";

/**
 * Resolves links. Paths outside of all roots are rejected without saying what is there; relative ones are
 * searched in each.
 */
export async function fileUnderRoots(
  path: string,
  roots: readonly string[],
): Promise<FromX<string, "invalid_input" | "file_read_error">> {
  const named = roots
    .map((root) => resolve(root, path))
    .filter((file) => roots.some((root) => isUnder(file, root)));
  if (named.length === 0) return refused(roots);
  const realRoots = await Promise.all(roots.map(realOf));
  for (const file of named) {
    const real = await realOf(file);
    if (real === undefined) continue;
    if (!realRoots.some((root) => root !== undefined && isUnder(real, root))) return refused(roots);
    return (await stat(real).catch(() => undefined))?.isFile() ? ok(real) : notRegular();
  }
  return errors.fail("file_read_error", "There is no such file in the folders that media may come from.", {
    suggestedFix: `Put the file into one of: ${roots.join(", ")}.`,
    fixBy: "operator",
  });
}

/** A pipe or device may never end or open. */
export function notRegular(): Failed<Failure<"file_read_error">> {
  return errors.fail("file_read_error", "The path is not a regular file.", { fixBy: "agent" });
}

function refused(roots: readonly string[]): Failed<Failure<"invalid_input">> {
  return errors.fail("invalid_input", "Media may come only from the folders that the configuration names.", {
    reason: "path_not_allowed",
    suggestedFix: `Put the file into one of: ${roots.join(", ") || "(none is set)"}; or add its folder to \`media.roots\`.`,
    fixBy: "operator",
    details: { roots },
  });
}

function isUnder(file: string, root: string): boolean {
  const way = relative(root, file);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function realOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
