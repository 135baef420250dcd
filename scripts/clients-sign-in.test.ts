import { describe, expect, test } from "vitest";
import { chromiumPath } from "../packages/tuitbot-web/test/chromium.ts";
import { installClient } from "./clients/install-client.ts";
import { runDriver } from "./clients/namespace.ts";
import { SIGN_IN_CLIENTS, type SignInReport } from "./clients/sign-in-client.ts";

const TIMEOUT_MS = 600_000;

describe.skipIf(chromiumPath() === undefined)("a published client without a token", () => {
  test.for(SIGN_IN_CLIENTS)(
    "$title is added by URL, signs in with a browser, reads, and is refused once it is revoked",
    { timeout: TIMEOUT_MS },
    async (client, { skip }) => {
      const installed = await installClient(client, client.version);
      if (typeof installed === "string" || process.platform !== "linux") {
        console.error(`!!! NOT TESTED with ${client.title}: ${String(installed)}`);
        return skip();
      }
      const { ok, output } = await runDriver("sign-in-client.ts", client.id, installed.program);
      expect(ok, output).toBe(true);
      const report = JSON.parse(output.trim().split("\n").at(-1) ?? "") as SignInReport;
      expect(report.read, report.output).toMatch(/sourdough/i);
      expect(report.agents, report.folder).toHaveLength(1);
      expect(report.revoked ?? "").not.toMatch(/sourdough/i);
    },
  );
});
