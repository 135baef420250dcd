import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { quote } from "../bad-input.ts";
import type { Caller } from "../call.ts";
import type { JsonObject } from "../json.ts";
import type { RenderedAnswer } from "../pipeline.ts";
import { TASKS } from "./capabilities.ts";
import type { Connection } from "./connection.ts";
import { callerOf, invalid, type RequestContext } from "./request.ts";
import type { Reporting } from "./server.ts";
import { anyParams, membersOf } from "./skills.ts";

/** A call that waits for something outside, such as a person. */
export interface Task {
  /** Nobody can guess it, and it is for the caller who made the call. */
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** It can be asked for at least so long after it was created. */
  readonly ttlMs: number;
  /** What it waits for or how it ended, in a sentence. */
  readonly message: string;
  readonly state:
    | { readonly status: "working" | "cancelled" }
    /** The call's own answer, also where it failed. */
    | { readonly status: "completed"; readonly envelope: JsonObject; readonly failed: boolean };
}

/** The calls of a product that can be tasks. They are found again by any process, also after a restart. */
export interface Tasks {
  /** The task of a call whose answer says that it waits; undefined for every other answer. */
  readonly of: (tool: string, answer: RenderedAnswer, caller: Caller) => Promise<Task | undefined>;
  /** Undefined where there is none, or it is another caller's. */
  readonly find: (id: string, caller: Caller) => Promise<Task | undefined>;
  /** Gives it up, if it still waits. */
  readonly cancel: (id: string, caller: Caller) => Promise<void>;
}

/** How often a client should ask. */
const POLL_MS = 1_000;

/** The answer to a call that became a task; undefined where it is answered as it is. */
export async function taskResult(
  connection: Connection,
  ctx: ServerContext,
  tool: string,
  answer: RenderedAnswer,
): Promise<JsonObject | undefined> {
  if (!knowsTasks(connection, ctx)) return undefined;
  const { tasks } = await connection.core();
  const task = await tasks?.of(tool, answer, callerOf(connection, ctx));
  return task && { resultType: "task", ...wireTask(task) };
}

/** Answers `tasks/get`, `tasks/update` and `tasks/cancel`, which clients from 2026 on know. */
export function serveTasks(server: Server, connection: Connection, reporting: Reporting): void {
  if (connection.era !== "modern") return;
  const serve = (method: string, work: (task: Task, tasks: Tasks, caller: Caller) => Promise<JsonObject>) =>
    server.setRequestHandler(
      method,
      { params: anyParams },
      reporting(method, async (params, ctx) => {
        if (!knowsTasks(connection, ctx))
          throw new MissingRequiredClientCapabilityError({
            requiredCapabilities: { extensions: { [TASKS]: {} } },
          });
        const { taskId } = membersOf(params);
        if (typeof taskId !== "string") throw invalid(`${method} needs the id of a task as taskId.`);
        const { tasks } = await connection.core();
        const caller = callerOf(connection, ctx);
        const task = await tasks?.find(taskId, caller);
        if (task === undefined || tasks === undefined) throw invalid(`There is no task ${quote(taskId)}.`);
        return { resultType: "complete", ...(await work(task, tasks, caller)) };
      }),
    );
  serve("tasks/get", async (task) => wireTask(task));
  // A task asks for nothing while it runs, so there is nothing to hand in.
  serve("tasks/update", async () => ({}));
  serve("tasks/cancel", async ({ id }, tasks, caller) => {
    await tasks.cancel(id, caller);
    return {};
  });
}

export function knowsTasks({ era }: Connection, ctx: RequestContext): boolean {
  const envelope = ctx.mcpReq.envelope as
    | { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities }
    | undefined;
  return era === "modern" && envelope?.[CLIENT_CAPABILITIES_META_KEY]?.extensions?.[TASKS] !== undefined;
}

function wireTask({ id, createdAt, updatedAt, ttlMs, message, state }: Task): JsonObject {
  return {
    taskId: id,
    status: state.status,
    statusMessage: message,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs,
    pollIntervalMs: POLL_MS,
    ...(state.status === "completed" && {
      result: {
        resultType: "complete",
        content: [{ type: "text", text: JSON.stringify(state.envelope) }],
        structuredContent: state.envelope,
        ...(state.failed && { isError: true }),
      },
    }),
  };
}
