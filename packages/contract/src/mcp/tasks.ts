import {
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { quote } from "../bad-input.ts";
import type { Caller } from "../call.ts";
import type { RenderedAnswer } from "../call-state.ts";
import type { JsonObject } from "../json.ts";
import { TASKS } from "./capabilities.ts";
import type { Connection } from "./internals.ts";
import { invalid } from "./questions.ts";
import { anyParams, callerOf, knowsTasks, membersOf } from "./request.ts";
import type { Reporting } from "./server.ts";

/** A call that waits, for example for a reviewer. */
export interface Task {
  /** Not guessable, and valid only for the caller. */
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** It can be queried for at least this long. */
  readonly ttlMs: number;
  /** One sentence about why it waits or how it ended. */
  readonly message: string;
  readonly state:
    | { readonly status: "working" | "cancelled" }
    | { readonly status: "completed"; readonly envelope: JsonObject; readonly failed: boolean };
}

/** Any process can find them, also after a restart. */
export interface Tasks {
  /** Undefined unless the call's answer is pending. */
  readonly of: (tool: string, answer: RenderedAnswer, caller: Caller) => Promise<Task | undefined>;
  /** Undefined if unknown or another caller's. */
  readonly find: (id: string, caller: Caller) => Promise<Task | undefined>;
  readonly cancel: (id: string, caller: Caller) => Promise<void>;
}

/** How often clients should poll. */
const POLL_MS = 1_000;

/** Undefined if the answer is final. */
export async function taskResult(
  connection: Connection,
  ctx: ServerContext,
  tool: string,
  answer: RenderedAnswer,
): Promise<JsonObject | undefined> {
  if (!knowsTasks(connection, ctx.mcpReq.envelope)) return undefined;
  const { tasks } = await connection.core();
  const task = await tasks?.of(tool, answer, callerOf(connection, ctx));
  return task && { resultType: "task", ...wireTask(task) };
}

/** Handles `tasks/get`, `tasks/update` and `tasks/cancel` of modern clients. */
export function serveTasks(server: Server, connection: Connection, reporting: Reporting): void {
  if (connection.era !== "modern") return;
  const serve = (method: string, work: (task: Task, tasks: Tasks, caller: Caller) => Promise<JsonObject>) =>
    server.setRequestHandler(
      method,
      { params: anyParams },
      reporting(method, async (params, ctx) => {
        if (!knowsTasks(connection, ctx.mcpReq.envelope))
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
  // A running task requests no input, so there is nothing to update.
  serve("tasks/update", async () => ({}));
  serve("tasks/cancel", async ({ id }, tasks, caller) => {
    await tasks.cancel(id, caller);
    return {};
  });
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
