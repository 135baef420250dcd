import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveHttp } from "../src/mcp/http.ts";
import { connect } from "../src/testing/index.ts";
import { pictureApp } from "./picture-app.ts";

const legs = (["stdio", "HTTP"] as const).flatMap((transport) =>
  (["modern", "legacy"] as const).map((era) => ({ transport, era })),
);

async function clientOn({ transport, era }: (typeof legs)[number]): Promise<Client> {
  const client = new Client(
    { name: "tester", version: "1" },
    { versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } },
  );
  if (transport === "stdio") {
    const args = ["--conditions=toolpact-source", new URL("./picture-stdio.ts", import.meta.url).pathname];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  } else {
    const server = await serveHttp(pictureApp(), { port: 0 });
    onTestFinished(server.close);
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  }
  onTestFinished(() => client.close());
  return client;
}

describe.each(legs)("over $transport, $era", (leg) => {
  test("an answer with an image has no structuredContent, and its tool lists no output schema", async () => {
    const client = await clientOn(leg);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "draw")).not.toHaveProperty("outputSchema");
    expect(tools.find(({ name }) => name === "measure")).toHaveProperty("outputSchema");
    // The second call takes the fast path.
    for (const _ of ["first", "second"]) {
      const drawn = await client.callTool({ name: "draw", arguments: {} });
      expect(drawn).not.toHaveProperty("structuredContent");
      expect(drawn.content).toMatchObject([{ type: "text" }, { type: "image", mimeType: "image/png" }]);
      const measured = await client.callTool({ name: "measure", arguments: {} });
      expect(measured.structuredContent).toMatchObject({ success: true, data: { width: 2 } });
    }
  });
});

test("a tool that answers with an image it has not declared fails because of a bug", async () => {
  await using server = await connect(pictureApp());
  expect(await server.call("draw_unannounced")).toMatchObject({ success: false, error: { code: "bug" } });
});

test("the envelope of an answer with an image can be read in a test", async () => {
  await using server = await connect(pictureApp());
  expect(await server.call("draw")).toMatchObject({ success: true, data: { width: 2 } });
});
