/** A client's request to the model. */
export interface ModelRequest {
  readonly dialect: Dialect;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A tool as a client offers it; Codex groups tools by server. */
export interface OfferedTool {
  readonly name: string;
  readonly namespace?: string;
}

export interface ModelAnswer {
  readonly id: string;
  readonly model: unknown;
  readonly step: { readonly text: string } | (OfferedTool & { readonly input: unknown });
}

interface HttpContent {
  readonly type: string;
  readonly content: string;
}

/** One of the four HTTP interfaces between clients and models. */
export interface Dialect {
  readonly paths: RegExp;
  readonly offered: (body: Readonly<Record<string, unknown>>) => readonly OfferedTool[];
  /** The results of tool calls in a request as text, each with the id of its call. */
  readonly results: (body: Readonly<Record<string, unknown>>) => readonly (readonly [string, string])[];
  readonly whole: (answer: ModelAnswer) => HttpContent;
  readonly stream: (answer: ModelAnswer) => HttpContent;
}

const anthropic: Dialect = {
  paths: /\/v1\/messages$/,
  offered: (body) => listOf(body.tools).map(({ name }) => ({ name: String(name) })),
  results: (body) =>
    listOf(body.messages)
      .flatMap(({ content }) => listOf(content))
      .filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id, content }) => [String(tool_use_id), textOf(content)]),
  whole: (answer) => json(anthropicMessage(answer)),
  stream(answer) {
    const message = anthropicMessage(answer);
    const [block] = message.content;
    const { step } = answer;
    const empty = "text" in step ? { type: "text", text: "" } : { ...block, input: {} };
    const delta =
      "text" in step
        ? { type: "text_delta", text: step.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(step.input) };
    return named([
      ["message_start", { message: { ...message, content: [], stop_reason: null } }],
      ["content_block_start", { index: 0, content_block: empty }],
      ["content_block_delta", { index: 0, delta }],
      ["content_block_stop", { index: 0 }],
      [
        "message_delta",
        { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
      ],
      ["message_stop", {}],
    ]);
  },
};

function anthropicMessage({ id, model, step }: ModelAnswer) {
  const block =
    "text" in step
      ? { type: "text", text: step.text }
      : { type: "tool_use", id, name: step.name, input: step.input };
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: [block],
    stop_reason: "text" in step ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

const responses: Dialect = {
  paths: /\/responses$/,
  offered: (body) =>
    listOf(body.tools).flatMap(({ type, name, tools }) =>
      type === "namespace"
        ? listOf(tools).map((tool) => ({ name: String(tool.name), namespace: String(name) }))
        : [{ name: String(name ?? type) }],
    ),
  results: (body) =>
    listOf(body.input)
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id, output }) => [String(call_id), textOf(output)]),
  whole: (answer) => json(openAiResponse(answer)),
  stream(answer) {
    const response = openAiResponse(answer);
    const [item] = response.output;
    return named(
      [
        ["response.created", { response: { ...response, status: "in_progress", output: [] } }],
        ["response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress" } }],
        ["response.output_item.done", { output_index: 0, item }],
        ["response.completed", { response }],
      ].map(([type, data], index) => [type as string, { sequence_number: index, ...(data as object) }]),
    );
  },
};

function openAiResponse({ id, model, step }: ModelAnswer) {
  const item =
    "text" in step
      ? {
          type: "message",
          id: `msg_${id}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: step.text, annotations: [] }],
        }
      : {
          type: "function_call",
          id: `fc_${id}`,
          call_id: id,
          name: step.name,
          ...(step.namespace && { namespace: step.namespace }),
          arguments: JSON.stringify(step.input),
          status: "completed",
        };
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1,
    status: "completed",
    model,
    output: [item],
    usage: {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    },
  };
}

const chatCompletions: Dialect = {
  paths: /\/chat\/completions$/,
  offered: (body) => listOf(body.tools).map((tool) => ({ name: String(objectOf(tool.function).name) })),
  results: (body) =>
    listOf(body.messages)
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id, content }) => [String(tool_call_id), textOf(content)]),
  whole({ id, model, step }) {
    const message = { role: "assistant", ...chatMessage(id, step) };
    const choices = [{ index: 0, message, finish_reason: "text" in step ? "stop" : "tool_calls" }];
    return json({ ...chatHead(id, model), object: "chat.completion", choices, usage: CHAT_USAGE });
  },
  stream({ id, model, step }) {
    const chunk = (delta: object, finish_reason: string | null) => ({
      ...chatHead(id, model),
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
    return unnamed([
      chunk({ role: "assistant", ...chatMessage(id, step) }, null),
      chunk({}, "text" in step ? "stop" : "tool_calls"),
      { ...chatHead(id, model), object: "chat.completion.chunk", choices: [], usage: CHAT_USAGE },
      "[DONE]",
    ]);
  },
};

const CHAT_USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function chatHead(id: string, model: unknown) {
  return { id: `chatcmpl-${id}`, created: 1, model };
}

function chatMessage(id: string, step: ModelAnswer["step"]) {
  if ("text" in step) return { content: step.text };
  const call = { name: step.name, arguments: JSON.stringify(step.input) };
  return { content: null, tool_calls: [{ index: 0, id, type: "function", function: call }] };
}

const gemini: Dialect = {
  paths: /:(generateContent|streamGenerateContent)$/,
  offered: (body) =>
    listOf(body.tools)
      .flatMap(({ functionDeclarations }) => listOf(functionDeclarations))
      .map(({ name }) => ({ name: String(name) })),
  results: (body) =>
    listOf(body.contents)
      .flatMap(({ parts }) => listOf(parts))
      .map(({ functionResponse }) => objectOf(functionResponse))
      .filter(({ id }) => id !== undefined)
      .map(({ id, response }) => [String(id), JSON.stringify(response)]),
  whole: (answer) => json(geminiContent(answer)),
  stream: (answer) => unnamed([geminiContent(answer)]),
};

function geminiContent({ id, step }: ModelAnswer) {
  const part =
    "text" in step ? { text: step.text } : { functionCall: { id, name: step.name, args: step.input } };
  return {
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: "scripted",
  };
}

export const DIALECTS: readonly Dialect[] = [anthropic, responses, chatCompletions, gemini];

function json(body: object): HttpContent {
  return { type: "application/json", content: JSON.stringify(body) };
}

/** Named server-sent events; the data repeats the name as its type. */
function named(events: readonly (readonly [string, object])[]): HttpContent {
  const lines = events.map(
    ([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`,
  );
  return { type: "text/event-stream", content: lines.join("") };
}

function unnamed(events: readonly (object | string)[]): HttpContent {
  const lines = events.map((data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  return { type: "text/event-stream", content: lines.join("") };
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** The content of a result: a text, or a list of blocks with some texts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map(({ text, type }) => (typeof text === "string" ? text : `[${type}]`))
    .join("\n");
}
