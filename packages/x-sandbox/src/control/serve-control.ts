import type { Answer } from "../answer.ts";
import { Fields } from "../gate/input.ts";
import type { Call, Delivery } from "../http/exchange.ts";
import { readText } from "../http/read-body.ts";
import { isObject } from "../json.ts";
import { replyOf } from "../reply.ts";
import type { Sandbox } from "../sandbox.ts";
import { complaint, overview, routes } from "./routes.ts";

/** The sandbox's own interface under `/_sandbox`: looking at it and steering it. */
export async function serveControl(call: Call, sandbox: Sandbox): Promise<Delivery> {
  return { how: "whole", reply: replyOf(await answerOf(call, sandbox)) };
}

async function answerOf(call: Call, sandbox: Sandbox): Promise<Answer> {
  const path = call.path.slice("/_sandbox".length).replace(/^\/|\/$/g, "");
  const route = routes.find((candidate) => candidate.method === call.method && candidate.path === path);
  if (route === undefined)
    return { status: 404, body: { error: `There is no ${call.method} ${call.path}.`, routes: overview() } };
  const text = (await readText(call.body, maxBytes)) ?? "";
  const body = text === "" ? {} : parsed(text);
  return isObject(body)
    ? route.act(sandbox, new Fields(body), call.query)
    : complaint("The body must be a JSON object.");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const maxBytes = 1_048_576;
