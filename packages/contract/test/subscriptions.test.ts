import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { serveHttp } from "../src/mcp/http.ts";
import { counterApp } from "./counter-product.ts";

function clientOf(mode: "auto" | "legacy") {
  const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  const heard: string[] = [];
  client.setNotificationHandler(
    "notifications/resources/updated",
    ({ params }) => void heard.push(params.uri),
  );
  return { client, heard };
}

/** Reading a resource notifies of a change. */
async function readBoth(client: Client): Promise<void> {
  await client.readResource({ uri: "count://b" });
  await client.readResource({ uri: "count://a" });
}

test("over stdio a client of before 2026 hears of the resources it subscribed to, until it no longer wants to", async () => {
  const { client, heard } = clientOf("legacy");
  const args = ["--conditions=toolpact-source", new URL("./counter-stdio.ts", import.meta.url).pathname];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  await client.subscribeResource({ uri: "count://a" });
  await readBoth(client);
  expect(heard).toEqual(["count://a"]);
  await client.unsubscribeResource({ uri: "count://a" });
  await readBoth(client);
  expect(heard).toEqual(["count://a"]);
});

test("over HTTP a client of today hears of the resources it listens for", async () => {
  const server = await serveHttp(counterApp(), { port: 0 });
  onTestFinished(server.close);
  const { client, heard } = clientOf("auto");
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  const subscription = await client.listen({ resourceSubscriptions: ["count://a"] });
  onTestFinished(() => subscription.close());
  await readBoth(client);
  await expect.poll(() => heard).toEqual(["count://a"]);
});

test("over stdio a client of today hears of the resources it listens for", async () => {
  const { client, heard } = clientOf("auto");
  const args = ["--conditions=toolpact-source", new URL("./counter-stdio.ts", import.meta.url).pathname];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  const subscription = await client.listen({ resourceSubscriptions: ["count://a"] });
  await readBoth(client);
  await expect.poll(() => heard).toEqual(["count://a"]);
  await subscription.close();
  await readBoth(client);
  expect(heard).toEqual(["count://a"]);
});
