import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { DIALECTS, type ModelAnswer, type ModelRequest, type OfferedTool } from "./dialects.ts";

/** One turn of the model: a tool call, or a text that ends the conversation. */
export type Step =
  | { readonly server?: string; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly text: string };

/** How a client that defers tools lets the model use an unlisted one. */
export interface Deferral {
  readonly name: (server: string, tool: string) => string;
  /** The client's search tool, which must find it first. */
  readonly search?: {
    readonly tool: string;
    readonly input: (name: string) => Readonly<Record<string, unknown>>;
  };
}

export interface ScriptedModel {
  readonly url: string;
  /** Starts a new script. Returns the requests that offered tools, oldest first, as they arrive. */
  readonly play: (steps: readonly Step[]) => readonly ModelRequest[];
  readonly close: () => void;
}

/**
 * A language model on loopback that plays a script: each request that offers tools gets the next step. Clients also ask
 * for titles and summaries; those requests offer no tools and get a short text.
 */
export async function startScriptedModel(deferral: Deferral | undefined): Promise<ScriptedModel> {
  let steps: readonly Step[] = [];
  let turns: ModelRequest[] = [];
  let at = 0;
  let attempt = 0;
  /**
   * A tool that is not offered is searched for, if the client has a search. Otherwise the first tool, and the first of
   * each server, is called until it is offered: some clients connect to their servers in the background.
   */
  async function nextAnswer(offered: readonly OfferedTool[]): Promise<Pick<ModelAnswer, "id" | "step">> {
    const step = steps[at] ?? { text: "Done." };
    if (!("tool" in step)) return { id: `end_${at}`, step };
    const found = offeredAs(step.tool, offered);
    // A client's built-in tool belongs to no server.
    const name = (step.server && deferral?.name(step.server, step.tool)) || step.tool;
    const search = deferral?.search;
    const isConnected = offered.some(({ namespace = "", name: own }) =>
      `${namespace}${own}`.includes(step.server ?? ""),
    );
    const isPatient = search !== undefined || (deferral === undefined && (at === 0 || !isConnected));
    if (found === undefined && isPatient && attempt < MAX_ATTEMPTS) {
      const id = callId(at, attempt);
      attempt += 1;
      await setTimeout(500);
      return search === undefined
        ? { id, step: { name, input: step.input } }
        : { id: `search_${id}`, step: { name: search.tool, input: search.input(name) } };
    }
    const id = callId(at, attempt);
    at += 1;
    attempt = 0;
    return { id, step: { input: step.input, ...(found ?? { name }) } };
  }
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://model").pathname;
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += part;
    const dialect = DIALECTS.find(({ paths }) => paths.test(path));
    if (dialect === undefined) return answerSideQuestion(path, response);
    const body = JSON.parse(text) as Record<string, unknown>;
    const offered = dialect.offered(body);
    // Some clients make side requests with one or two built-in tools.
    const isTurn = offered.length > 2;
    if (isTurn) turns.push({ dialect, body });
    const isStream = body.stream === true || path.endsWith(":streamGenerateContent");
    const answer = {
      model: body.model,
      ...(isTurn ? await nextAnswer(offered) : { id: "side", step: { text: "ok" } }),
    };
    const { type, content } = (isStream ? dialect.stream : dialect.whole)(answer);
    response.writeHead(200, { "content-type": type }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    play(script) {
      steps = script;
      turns = [];
      at = 0;
      attempt = 0;
      return turns;
    },
    close: () => void server.close(),
  };
}

/** The offered tool whose name ends with this one, because every client adds a prefix. */
function offeredAs(tool: string, offered: readonly OfferedTool[]): OfferedTool | undefined {
  return offered
    .filter(({ name }) => name.endsWith(tool) && !/[a-z0-9]$/i.test(name.slice(0, -tool.length)))
    .sort((a, b) => a.name.length - b.name.length)[0];
}

/** The result of each step's last attempt in a request. */
export function resultsOf({ dialect, body }: ModelRequest, steps: readonly Step[]): (string | undefined)[] {
  const results = new Map(dialect.results(body));
  return steps.map((_, at) => {
    const attempts = Array.from({ length: MAX_ATTEMPTS + 1 }, (_, attempt) =>
      results.get(callId(at, attempt)),
    );
    return attempts.findLast((result) => result !== undefined);
  });
}

/** Half a second each. On a busy machine a client takes a while to connect to its servers. */
const MAX_ATTEMPTS = 60;

function callId(at: number, attempt: number): string {
  return `call_${at}_${attempt}`;
}

function answerSideQuestion(path: string, response: import("node:http").ServerResponse): void {
  const isKnown = path.endsWith("/models") || /count_?tokens$/i.test(path);
  const body = {
    object: "list",
    data: [{ id: "scripted", object: "model" }],
    models: [],
    input_tokens: 1,
    totalTokens: 1,
  };
  response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
  response.end(
    JSON.stringify(
      isKnown ? body : { error: { message: "The scripted model has no such path.", code: 404 } },
    ),
  );
}
