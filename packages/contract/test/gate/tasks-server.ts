import { appendFileSync } from "node:fs";
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  Server,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/**
 * The tasks extension on the bare SDK. `if_it_can` depends on the client, `always` is a task, `only` rejects
 * other clients. Writes calls to its file.
 */
const [file = ""] = process.argv.slice(2);
const TASKS = "io.modelcontextprotocol/tasks";

serveStdio(() => {
  const server = new Server(
    { name: "tasks", version: "1.0.0" },
    { capabilities: { tools: {}, extensions: { [TASKS]: {} } } },
  );
  const now = new Date().toISOString();
  const task = { taskId: "t1", status: "working", createdAt: now, lastUpdatedAt: now, ttlMs: 60_000 };
  server.setRequestHandler("tools/list", async () => ({
    tools: ["if_it_can", "always", "only"].map((name) => ({ name, inputSchema: { type: "object" } })),
  }));
  server.setRequestHandler("tools/call", async ({ params: { name } }, { mcpReq }) => {
    const envelope = mcpReq.envelope as Record<string, { extensions?: Record<string, object> }> | undefined;
    const knowsTasks = envelope?.[CLIENT_CAPABILITIES_META_KEY]?.extensions?.[TASKS] !== undefined;
    if (name === "only" && !knowsTasks)
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [TASKS]: {} } },
      });
    appendFileSync(file, `${name}\n`);
    // The SDK has no type for tasks.
    if (name === "always" || knowsTasks) return { resultType: "task", ...task } as never;
    return { content: [{ type: "text", text: "done without a task" }] };
  });
  return server;
});
