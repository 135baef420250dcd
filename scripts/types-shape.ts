import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkPackage, Package as PublishedPackage } from "@arethetypeswrong/core";
import { problemAffectsResolutionKind } from "@arethetypeswrong/core/problems";
import type { Package } from "./packages.ts";

/** As ES modules: `require` in an old Node is not checked. */
const IMPORTED_BY = ["node16-esm", "bundler"] as const;

/** Imports whose types do not match the code they load. */
export async function typeProblems(
  { name, version, folder }: Package,
  files: readonly string[],
): Promise<readonly string[]> {
  const contents = files.map((file) => [
    `/node_modules/${name}/${file}`,
    readFileSync(join(folder, file), "utf8"),
  ]);
  const analysis = await checkPackage(new PublishedPackage(Object.fromEntries(contents), name, version));
  if (!analysis.types) return [`${name}: the package has no types`];
  const lines = analysis.problems
    .filter((problem) => IMPORTED_BY.some((kind) => problemAffectsResolutionKind(problem, kind, analysis)))
    .map((problem) => {
      const { kind, entrypoint, typesFileName, fileName } = { ...noPlace, ...problem };
      return `${name}: ${kind} ${entrypoint ?? typesFileName ?? fileName}`;
    });
  return [...new Set(lines)];
}

/** Kinds of problems differ in the member with their location. */
const noPlace: { entrypoint?: string; typesFileName?: string; fileName?: string } = {};
