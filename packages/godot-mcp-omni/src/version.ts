import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./godot/package-folder.ts";

/** Of this package. */
export const VERSION: string = readVersion();

function readVersion(): string {
  // Our own package.json has a version.
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}
