import { type Answer, errorAnswer, replyOf } from "../answer.ts";
import type { Call, Delivery } from "../http/exchange.ts";
import { Fields } from "../http/input.ts";
import { readText } from "../http/read-body.ts";
import { isObject, parsedJson } from "../json.ts";
import type { Sandbox } from "../sandbox.ts";
import { overview, routes } from "./routes.ts";

/** The sandbox's own API under `/_sandbox`, for inspection and control. */
export async function serveControl(call: Call, sandbox: Sandbox): Promise<Delivery> {
  return { how: "whole", reply: replyOf(await answerOf(call, sandbox)) };
}

async function answerOf(call: Call, sandbox: Sandbox): Promise<Answer> {
  const path = call.path.slice("/_sandbox".length).replace(/^\/|\/$/g, "");
  const route = routes.find((candidate) => candidate.method === call.method && candidate.path === path);
  if (route === undefined) return overview(404, { error: `There is no ${call.method} ${call.path}.` });
  const text = (await readText(call.body, maxBytes)) ?? "";
  const body = text === "" ? {} : parsedJson(text);
  return isObject(body)
    ? route.act(sandbox, new Fields(body), call.query)
    : errorAnswer("The body must be a JSON object.");
}

const maxBytes = 1_048_576;
