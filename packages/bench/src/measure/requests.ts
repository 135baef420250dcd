import { noop, tools140 } from "../servers/tools140.ts";
import type { Connection, RpcAnswer } from "../wire/connection.ts";

/** Checks that the list has every tool. */
export async function listTools(connection: Connection): Promise<RpcAnswer> {
  const answer = await connection.request({ method: "tools/list", params: {} });
  const listed = answer.result.tools?.length;
  if (listed !== tools140.length + 1) throw new Error(`A server listed ${listed} tools.`);
  return answer;
}

let lastNumber = 0;

/** Each call has a new number. */
export async function callNoop(connection: Connection): Promise<void> {
  const params = { name: noop.name, arguments: { n: ++lastNumber } };
  const { result } = await connection.request({ method: "tools/call", params });
  if (result.structuredContent === undefined) throw new Error("A server answered a call with nothing.");
}
