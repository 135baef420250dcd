import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A language model on loopback with the OpenAI and Anthropic protocols, whose answers the test chooses. */
export interface ModelServer extends AsyncDisposable {
  /** As a provider's base URL. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Sets the next answers, in order; the last one is repeated. */
  readonly says: (...answers: readonly ModelAnswer[]) => void;
}

export interface ModelRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly model: string;
  readonly system: string;
  readonly prompt: string;
}

export type ModelAnswer =
  | string
  | { readonly text: string; readonly isCut: boolean }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** Never answers. */
  | "silence"
  /** Hangs up. */
  | "hang up"
  /** Hangs up in the middle of its answer. */
  | "break off";

export async function modelServer(): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  let answers: readonly ModelAnswer[] = ["A text."];
  let given = 0;
  const server = createServer(async (request, response) => {
    const body: Body = JSON.parse(await text(request));
    const path = request.url ?? "";
    requests.push({ path, headers: request.headers, ...read(path, body) });
    const answer = answers[Math.min(given, answers.length - 1)] ?? "";
    given += 1;
    if (answer === "silence") return;
    if (answer === "hang up") return void request.socket.destroy();
    if (answer === "break off") {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id":', () => request.socket.destroy());
      return;
    }
    if (typeof answer === "object" && "status" in answer) {
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      response.end(answer.body ?? JSON.stringify({ error: { message: "No.", type: "error" } }));
      return;
    }
    const said = typeof answer === "string" ? { text: answer, isCut: false } : answer;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(path.endsWith("/messages") ? anthropic(body, said) : openai(body, said)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    says(...next) {
      answers = next;
      given = 0;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

interface Body {
  readonly model: string;
  readonly system?: readonly { readonly text: string }[];
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | readonly { text: string }[];
  }[];
}

function read(path: string, { model, system, messages }: Body) {
  const joined = (content: Body["messages"][number]["content"] = "") =>
    typeof content === "string" ? content : content.map((part) => part.text).join("");
  const by = (role: string) => joined(messages.find((message) => message.role === role)?.content);
  return {
    model,
    system: path.endsWith("/messages") ? (system ?? []).map((part) => part.text).join("") : by("system"),
    prompt: by("user"),
  };
}

interface Said {
  readonly text: string;
  readonly isCut: boolean;
}

function openai({ model }: Body, { text, isCut }: Said) {
  return {
    id: "chat-1",
    object: "chat.completion",
    created: 0,
    model,
    choices: [
      { index: 0, message: { role: "assistant", content: text }, finish_reason: isCut ? "length" : "stop" },
    ],
    usage: { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 },
  };
}

function anthropic({ model }: Body, { text, isCut }: Said) {
  return {
    id: "msg-1",
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text }],
    stop_reason: isCut ? "max_tokens" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1_000, output_tokens: 50 },
  };
}
