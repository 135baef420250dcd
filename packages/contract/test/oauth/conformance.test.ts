import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installedFile } from "../../../../scripts/conformance/installed.ts";
import { freePort } from "../../../../scripts/free-port.ts";
import { Browser, signInWith } from "./browser.ts";
import { newClient, USER } from "./oauth-client.ts";
import { serveSignIn } from "./sign-in-server.ts";

test("the official conformance suite passes the authorization server in both of its scenarios", async () => {
  const { origin, url } = await serveSignIn();
  const port = await freePort();
  const client = await newClient(origin, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  const into = mkdtempSync(join(tmpdir(), "toolpact-authorization-"));
  onTestFinished(() => rmSync(into, { recursive: true }));
  const suite = installedFile("@modelcontextprotocol/conformance", "dist/index.js");
  const options = ["--url", origin, "--client-id", client.id, "--resource", url, "--port", `${port}`];
  const child = spawn(process.execPath, [suite, "authorization", ...options, "-o", into]);
  onTestFinished(() => void child.kill());
  const exited = once(child, "exit");
  let output = "";
  let isAnswered = false;
  child.stdout.on("data", (part: Buffer) => {
    output += part;
    // Printed once the suite listens for the code.
    const authorize = /^(\S+\/oauth\/authorize\S+)[\s\S]*Callback server started/m.exec(output)?.[1];
    if (authorize === undefined || isAnswered) return;
    isAnswered = true;
    void signInWith(new Browser(), new URL(authorize), USER).then((back) => fetch(back));
  });
  await exited;
  expect(output).toContain("Total: 2 passed, 0 failed");
}, 60_000);
