import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import type { LintedSurface } from "../lint/lint.ts";

const PATIENCE_MS = 60_000;
const MOST_PAGES = 100;

/** Starts any MCP server on stdio, asks it for its tools, and ends it. */
export async function listTools(command: string): Promise<Outcome<LintedSurface, string>> {
  const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"], detached: true });
  const waiting = new Map<number, (answer: JsonObject) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = parsed(line);
    if (typeof message?.id === "number") waiting.get(message.id)?.(message);
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<never>((_resolve, reject) => {
    child.once("exit", () => reject(new Error("The server ended before it had answered.")));
    setTimeout(
      () => reject(new Error(`The server did not answer within ${PATIENCE_MS / 1_000} seconds.`)),
      PATIENCE_MS,
    ).unref();
  });
  let id = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = async (method: string, params: object): Promise<JsonObject> => {
    const own = ++id;
    const answer = new Promise<JsonObject>((resolve) => waiting.set(own, resolve));
    send({ id: own, method, params });
    const { result, error } = await Promise.race([answer, ended]);
    if (result === undefined) throw new Error(`The server refused ${method}: ${JSON.stringify(error)}`);
    // A result of MCP is an object.
    return result as JsonObject;
  };
  try {
    const { instructions } = await ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "toolpact", version: "1" },
    });
    send({ method: "notifications/initialized" });
    const tools: JsonObject[] = [];
    let cursor: unknown;
    for (let page = 0; page < MOST_PAGES; page++) {
      const listed = await ask("tools/list", cursor === undefined ? {} : { cursor });
      // What tools/list answers is a list of objects.
      tools.push(...((listed.tools ?? []) as unknown as JsonObject[]));
      cursor = listed.nextCursor;
      if (cursor === undefined) break;
    }
    return ok({ tools, instructions: typeof instructions === "string" ? instructions : "" });
  } catch (error) {
    return failed((error as Error).message);
  } finally {
    ended.catch(() => {});
    endGroup(child.pid);
  }
}

/** The shell and what it started. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid);
  } catch {
    // It has ended.
  }
}

function parsed(line: string): JsonObject | undefined {
  const message = parseJson(line);
  return isJsonObject(message) ? message : undefined;
}
