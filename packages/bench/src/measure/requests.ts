import { noop, tools140 } from "../servers/tools140.ts";
import type { Connection, RpcAnswer } from "../wire/connection.ts";

/** Asks for the list, and checks that every tool is on it. */
export async function listTools(connection: Connection): Promise<RpcAnswer> {
  const answer = await connection.request({ method: "tools/list", params: {} });
  const listed = answer.result.tools?.length;
  if (listed !== tools140.length + 1) throw new Error(`A server listed ${listed} tools.`);
  return answer;
}

let lastNumber = 0;

/** Calls the tool that does nothing, with a number that no call had before. */
export async function callNoop(connection: Connection): Promise<void> {
  const params = { name: noop.name, arguments: { n: ++lastNumber } };
  const { result } = await connection.request({ method: "tools/call", params });
  if (result.structuredContent === undefined) throw new Error("A server answered a call with nothing.");
}
