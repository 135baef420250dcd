import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { serveHttp } from "@toolpact/contract/http";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { conformanceApp } from "../src/app.ts";

describe.each(["modern", "legacy"] as const)("the fixtures, to a client of the %s era", (era) => {
  let client: Client;
  let close: () => Promise<unknown>;

  beforeEach(async () => {
    const server = await serveHttp(conformanceApp(), { port: 0 });
    client = new Client(
      { name: "tester", version: "1" },
      {
        versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
        capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
      },
    );
    client.setRequestHandler("elicitation/create", async ({ params }) => ({
      action: "accept",
      content: params.message.includes("color") ? { color: "blue" } : { name: "Ada", ok: true },
    }));
    client.setRequestHandler("sampling/createMessage", async () => ({
      role: "assistant",
      model: "none",
      content: { type: "text", text: "Paris" },
    }));
    client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: "file:///work" }] }));
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    close = () => client.close().then(server.close);
  });
  afterEach(() => close());

  const textOf = async (name: string, args: Record<string, unknown> = {}) => {
    const { content } = await client.callTool({ name, arguments: args });
    return content.map((block) => (block.type === "text" ? block.text : block.type)).join();
  };

  test("are reached in that era", () => {
    expect(client.getProtocolEra()).toBe(era);
  });

  test("answer with each kind of content, and nothing else", async () => {
    expect(await client.callTool({ name: "test_multiple_content_types" })).toMatchObject({
      content: [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", mimeType: "image/png" },
        { type: "resource", resource: { uri: "test://mixed-content-resource" } },
      ],
    });
    const audio = await client.callTool({ name: "test_audio_content" });
    expect(audio.content).toMatchObject([{ type: "audio", mimeType: "audio/wav" }]);
    expect(audio).not.toHaveProperty("structuredContent");
  });

  test("fail as a result that the model can read", async () => {
    expect(await client.callTool({ name: "test_error_handling" })).toMatchObject({
      isError: true,
      content: [{ text: "This tool intentionally returns an error for testing" }],
    });
    expect(await client.callTool({ name: "test_sampling", arguments: { promt: "hi" } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Did you mean `prompt`?") }],
    });
  });

  test("report progress", async () => {
    const seen: number[] = [];
    await client.callTool(
      { name: "test_tool_with_progress" },
      { onprogress: ({ progress }) => void seen.push(progress) },
    );
    expect(seen).toEqual([0, 50, 100]);
  });

  test("ask the person, the model and the client, once or twice", async () => {
    expect(await textOf("test_elicitation", { message: "Who?" })).toBe(
      'User response: action=accept, content={"name":"Ada","ok":true}',
    );
    expect(await textOf("test_sampling", { prompt: "Where?" })).toBe("LLM response: Paris");
    expect(await textOf("test_input_required_result_list_roots")).toBe("The client works in: file:///work");
    expect(await textOf("test_input_required_result_multi_round")).toBe(
      'Name: action=accept, content={"name":"Ada","ok":true}. Color: action=accept, content={"color":"blue"}.',
    );
    expect(await textOf("test_input_required_result_multiple_inputs")).toContain("Paris; file:///work");
  });

  test("accept an argument that clients repeat in a header", async () => {
    await client.listTools();
    expect(await textOf("test_mirrored_argument", { region: "Österreich" })).toBe("Österreich");
  });

  test("have a rule that only JSON Schema and the server can express", async () => {
    const tool = "json_schema_2020_12_tool";
    expect(await textOf(tool, { contactMethod: "phone", phone: "1" })).toContain('"phone":"1"');
    expect(await textOf(tool, { contactMethod: "phone", email: "e" })).toContain("needs a phone");
  });

  test("read by address, whole or in parts", async () => {
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
    expect(await read("test://static-text")).toMatchObject({ mimeType: "text/plain" });
    expect(await read("test://static-binary")).toMatchObject({ blob: expect.stringMatching(/^iVBOR/) });
    expect(await read("test://template/7/data")).toMatchObject({
      text: expect.stringContaining("Data for ID: 7"),
    });
    await expect(read("test://nowhere")).rejects.toMatchObject({ code: -32602 });
  });

  test("prompt, complete, and ask before a prompt", async () => {
    const prompt = async (name: string, args?: Record<string, string>) =>
      (await client.getPrompt({ name, ...(args && { arguments: args }) })).messages[0]?.content;
    expect(await prompt("test_prompt_with_arguments", { arg1: "a", arg2: "b" })).toMatchObject({
      text: "Prompt with arguments: arg1='a', arg2='b'",
    });
    await expect(prompt("test_prompt_with_arguments", { arg1: "a" })).rejects.toThrow("arg2");
    expect(await prompt("test_input_required_result_prompt")).toMatchObject({
      text: expect.stringContaining("Ada"),
    });
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "test_prompt_with_arguments" },
      argument: { name: "arg1", value: "test" },
    });
    expect(completion.values).toEqual(["test one", "test two"]);
  });
});

describe("on the wire of 2026", () => {
  async function call(params: object, headers: Record<string, string> = {}) {
    const server = await serveHttp(conformanceApp(), { port: 0 });
    onTestFinished(server.close);
    const { name } = params as { name: string };
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    };
    const response = await fetch(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { ...params, _meta } }),
    });
    return { status: response.status, body: await response.json() };
  }

  test("an answer before the question counts only if the tool accepts it", async () => {
    const inputResponses = {
      user_name: { action: "accept", content: { name: "Ada" } },
      confirm: { action: "accept", content: { ok: true } },
    };
    const free = await call({
      name: "test_input_required_result_elicitation",
      arguments: {},
      inputResponses,
    });
    expect(free.body).toMatchObject({ result: { content: [{ text: expect.stringContaining("Ada") }] } });
    const bound = await call({
      name: "test_input_required_result_request_state",
      arguments: {},
      inputResponses,
    });
    expect(bound.body).toMatchObject({ result: { resultType: "input_required" } });
  });

  test("a header that contradicts the argument it repeats is rejected", async () => {
    const params = { name: "test_mirrored_argument", arguments: { region: "eu" } };
    expect((await call(params, { "mcp-param-region": "eu" })).status).toBe(200);
    expect(await call(params, { "mcp-param-region": "us" })).toMatchObject({
      status: 400,
      body: { id: 7, error: { code: -32020 } },
    });
    expect((await call(params)).status).toBe(400);
  });
});
