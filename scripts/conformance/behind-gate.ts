import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../packages.ts";
import { type Ended, type Serving, startServing } from "./serving.ts";

/**
 * The conformance server with `toolpact gate` in front of it, and a policy that allows its tools. Those that ask questions
 * are declared as reads: the suite leaves some of their questions unanswered and makes the same call again, which a gate
 * answers with "still running" if the call may change something.
 */
export async function startBehindGate(upstream: string, folder: string): Promise<Serving | Ended> {
  mkdirSync(folder, { recursive: true });
  const policy = join(folder, "gate.toml");
  writeFileSync(policy, 'roots = true\n[tools]\n"*" = "allow"\n"test_input_required_*" = "read_only"\n');
  return startServing([
    "--conditions=toolpact-source",
    join(root, "packages/contract/src/main.ts"),
    "gate",
    "--policy",
    policy,
    "--url",
    upstream,
    "--http",
    "0",
    "--no-token",
  ]);
}
