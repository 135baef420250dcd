import { lookup } from "node:dns/promises";
import { expect, test, vi } from "vitest";
import { Browser } from "./browser.ts";
import { authorization } from "./oauth-client.ts";
import { serveSignIn } from "./sign-in-server.ts";
import { trapServer } from "./trap-server.ts";

// The check gets this answer; the connection asks the system.
vi.mock("node:dns/promises", () => ({
  lookup: vi.fn(async () => [{ address: "93.184.216.34", family: 4 }]),
}));

test("a client ID metadata document is not requested if its host moves to this machine after the check", async () => {
  const { port, seen } = await trapServer();
  const { origin } = await serveSignIn({ publicUrl: "https://mcp.example" });
  const { url } = authorization({ origin, id: `https://localhost:${port}/client.json` });
  expect((await new Browser().get(url)).status).toBe(400);
  expect(lookup).toHaveBeenCalledWith("localhost", { all: true });
  expect(seen.connections).toBe(0);
});
