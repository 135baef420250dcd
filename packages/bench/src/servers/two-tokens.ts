import { randomBytes } from "node:crypto";
import { defineServer, ok } from "@toolpact/contract";
import { openSqlite } from "@toolpact/contract/guards";
import { serveHttp } from "@toolpact/contract/http";
import { openRecords } from "@toolpact/contract/internal/sign-in";
import { openSignIn } from "@toolpact/contract/sign-in";
import * as z from "zod";

// The same app twice: one server takes a static token, the other tokens of a sign-in. Prints both as JSON.
const { tool, app } = defineServer({ name: "two-tokens", version: "1.0.0" });
const echo = tool({
  name: "echo",
  title: "Echo",
  description: "Returns the text.",
  effect: "none",
  input: z.strictObject({ text: z.string().describe("The text") }),
  output: z.object({ text: z.string() }),
  handler: ({ text }) => ok({ text }),
});
const served = app({ tools: [echo] });
const token = randomBytes(32).toString("base64url");
const database = await openSqlite(":memory:");
const signIn = openSignIn({
  title: "bench",
  database,
  key: randomBytes(32),
  consent: { person: async () => undefined },
});
const withToken = await serveHttp(served, { port: 0, token });
const withSignIn = await serveHttp(served, { port: 0, signIn });
const records = await openRecords(database, "sign-in", Date.now);
const access = {
  ...{ accountId: "me", clientId: "client", grantId: "grant", scope: "mcp", aud: withSignIn.url },
  exp: Math.floor(Date.now() / 1_000) + 3_600,
};
await records.save("Grant", access.grantId, { clientId: access.clientId }, 3_600);
await records.save("AccessToken", token, access, 3_600);
console.log(JSON.stringify({ token, static: withToken.url, signIn: withSignIn.url }));
process.stdin.on("end", () => process.exit()).resume();
