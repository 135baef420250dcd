import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { LintedSurface } from "../lint/lint.ts";

/** The surface in a file: JSON as `tools/list` answers it, or a module that exports an app. */
export async function loadSurface(file: string): Promise<Outcome<LintedSurface, string>> {
  const path = resolve(file);
  try {
    if (path.endsWith(".json")) {
      const json = JSON.parse(await readFile(path, "utf8"));
      const found = [json, json?.result].find(isSurface);
      return found === undefined
        ? failed(`${file} has no list of tools with an inputSchema each, as tools/list answers it.`)
        : ok(found);
    }
    const exported = await import(pathToFileURL(path).href);
    const app = Object.values(exported).find((value) => isSurface((value as HasSurface | null)?.surface));
    return app === undefined
      ? failed(`${file} exports no app. Export it, or lint the running server with --command.`)
      : ok((app as { readonly surface: LintedSurface }).surface);
  } catch (error) {
    return failed(`${file} cannot be loaded: ${(error as Error).message}`);
  }
}

interface HasSurface {
  readonly surface?: unknown;
}

function isSurface(value: unknown): value is LintedSurface {
  const tools = (value as { readonly tools?: unknown } | null | undefined)?.tools;
  return (
    Array.isArray(tools) &&
    tools.every((tool) => typeof tool === "object" && tool !== null && "inputSchema" in tool)
  );
}
