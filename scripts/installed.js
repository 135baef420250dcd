// Loaded before a script of this checkout, by whichever Node there is: says in one line what an old one would not.
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);
const isOld = major < 22 || (major === 22 && minor < 18);
if (isOld || !existsSync(new URL("../node_modules/esbuild", import.meta.url))) {
  console.error(
    "This checkout is not installed yet: run `npm install` first. It brings Node 26 and all tools.",
  );
  process.exit(1);
}
