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

/** A call that waits, for a reviewer for example. */
export interface Task {
  /** Not guessable, and valid only for the caller that made the call. */
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** How long after its creation it can be queried, at least. */
  readonly ttlMs: number;
  /** One sentence about what it waits for or how it ended. */
  readonly message: string;
  readonly state:
    | { readonly status: "working" | "cancelled" }
    /** The answer of the call, successful or not. */
    | { readonly status: "completed"; readonly envelope: JsonObject; readonly failed: boolean };
}

/** The tasks of a product. Any process can find them, also after a restart. */
export interface Tasks {
  /** Returns the task of a call whose answer is pending; undefined for every other answer. */
  readonly of: (tool: string, answer: RenderedAnswer, caller: Caller) => Promise<Task | undefined>;
  /** Undefined if it does not exist or belongs to another caller. */
  readonly find: (id: string, caller: Caller) => Promise<Task | undefined>;
  /** Cancels the task if it is still pending. */
  readonly cancel: (id: string, caller: Caller) => Promise<void>;
}

/** How often a client should poll. */
const POLL_MS = 1_000;

/** The result of a call that became a task; undefined if the answer is final. */
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

/** Handles `tasks/get`, `tasks/update` and `tasks/cancel`, for clients from 2026 on. */
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
