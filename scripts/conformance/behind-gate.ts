import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../packages.ts";
import { type Ended, type Serving, startServing } from "./serving.ts";

/**
 * `toolpact gate` before this server and a published one. Tools that ask are declared as reads, because the
 * suite leaves questions open and repeats the call, which would be "still running".
 */
export async function startBehindGate(upstream: string, folder: string): Promise<Serving | Ended> {
  mkdirSync(folder, { recursive: true });
  const policy = join(folder, "gate.toml");
  const everything = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  writeFileSync(
    policy,
    `roots = true

[servers.conformance]
url = ${JSON.stringify(upstream)}
prefix = false
[servers.conformance.tools]
"*" = "allow"
"test_input_required_*" = "read_only"

[servers.everything]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(everything)}]
default = "deny"
[servers.everything.tools]
echo = "read_only"
`,
  );
  return startServing([
    "--conditions=toolpact-source",
    join(root, "packages/toolpact/src/main.ts"),
    "gate",
    "--policy",
    policy,
    "--http",
    "0",
    "--no-token",
  ]);
}
