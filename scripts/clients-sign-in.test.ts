import { describe, expect, test } from "vitest";
import { chromiumPath } from "../packages/tuitbot-web/test/chromium.ts";
import { installClient } from "./clients/install-client.ts";
import { runDriver } from "./clients/namespace.ts";
import { SDK_MODES, SIGN_IN_CLIENTS, type SignInReport } from "./clients/sign-in-client.ts";
import { SIGN_IN_SERVERS } from "./clients/sign-in-server.ts";

const TIMEOUT_MS = 600_000;

/** The result of the call, also within a JSON text. */
const READ = /username\\?":\s*\\?"sandbox_owner/;

/** Signs a client in with Chromium where only loopback exists. */
async function expectSignedIn(id: string, program: string, server: string): Promise<void> {
  const { ok, output } = await runDriver("sign-in-client.ts", id, program, server);
  expect(ok, output).toBe(true);
  const report = JSON.parse(output.trim().split("\n").at(-1) ?? "") as SignInReport;
  expect(report.read, report.output).toMatch(READ);
  expect(report.agents, report.folder).toHaveLength(1);
  expect(report.revoked ?? "").not.toMatch(READ);
}

describe
  .skipIf(chromiumPath() === undefined || process.platform !== "linux")
  .each(Object.keys(SIGN_IN_SERVERS))("with %s, without a token", (server) => {
  test.for(SIGN_IN_CLIENTS)(
    "$title is added by URL, signs in with a browser, reads, and is refused once it is revoked",
    { timeout: TIMEOUT_MS },
    async (client, { skip }) => {
      const installed = await installClient(client, client.version);
      if (typeof installed === "string") {
        console.error(`!!! NOT TESTED with ${client.title}: ${installed}`);
        return skip();
      }
      await expectSignedIn(client.id, installed.program, server);
    },
  );

  test.for(Object.keys(SDK_MODES))(
    "the client %s is added by URL, signs in with a browser, reads, and is refused once it is revoked",
    { timeout: TIMEOUT_MS },
    (id) => expectSignedIn(id, "", server),
  );
});
