import { execFile } from "node:child_process";
import { installedFile, installedVersion } from "./installed.ts";
import type { Product } from "./products.ts";
import type { Report } from "./report.ts";

const INSPECTOR = "@modelcontextprotocol/inspector";

export interface Inspected {
  readonly product: Product;
  readonly url: string;
  /** On stdin and stdout. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** All tools must be portable. Calls one as a client of each kind. */
export async function inspect({ product, url, command, env }: Inspected): Promise<Report> {
  const { tool, args } = product.call;
  const servers = {
    stdio: ["--", ...command],
    http: ["--transport", "http", "--stored-auth-only", url],
  };
  const requests = {
    "tools/list": ["--strict"],
    "tools/call": ["--tool-name", tool, "--tool-args-json", JSON.stringify(args)],
  };
  const failures: string[] = [];
  let passed = 0;
  for (const era of ["modern", "legacy"]) {
    for (const [transport, server] of Object.entries(servers)) {
      for (const [method, options] of Object.entries(requests)) {
        const asked = ["--protocol-era", era, "--method", method, ...options, "--format", "json", ...server];
        const complaint = await complaintAbout(asked, env);
        if (complaint === undefined) passed += 1;
        else failures.push(`${era} ${transport}, ${method}: ${complaint}`);
      }
    }
  }
  return { title: `${product.name}, inspector ${installedVersion(INSPECTOR)} --strict`, passed, failures };
}

/** Its warnings about some clients count as errors. */
function complaintAbout(asked: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const entry = installedFile(INSPECTOR, "clients/launcher/build/index.js");
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [entry, "--cli", ...asked],
      { env, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error !== null) resolve(stderr || error.message);
        else if ("schemaFindings" in JSON.parse(stdout)) resolve(stderr);
        else resolve(undefined);
      },
    );
  });
}
