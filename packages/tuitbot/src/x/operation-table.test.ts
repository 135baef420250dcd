import { isOperationId, operations } from "@toolpact/x-api";
import { expect, it } from "vitest";
import { operationTable } from "./operation-table.ts";

const rows = Object.entries(operationTable);

it("the operation table has a row for exactly the operations of X that change something", () => {
  const changing = Object.entries(operations).flatMap(([id, { method }]) => (method === "GET" ? [] : [id]));
  expect(rows.map(([id]) => id).sort()).toEqual(changing.sort());
});

it.each(rows)("the operation table states how %s is undone and read back, or why it is not", (_, row) => {
  const { undo, readBack } = row;
  if (typeof undo === "string") expect(isOperationId(undo)).toBe(true);
  else expect(undo.because).toMatch(/^[A-Z].+\.$/);
  if (readBack.look === "nowhere") expect(readBack.because).toMatch(/^[A-Z].+\.$/);
  // Reading back needs the thing's name.
  if (readBack.look === "list" || readBack.look === "connection")
    expect(row.makes ?? row.unmakes).toBeTypeOf("function");
});

it("undoes a mark with an operation that takes the same thing back", () => {
  const request = {
    path: new Proxy({}, { get: () => "1" }),
    body: { tweet_id: "1", target_user_id: "1", user_id: "1", list_id: "1" },
  };
  for (const [id, { repeat, undo, makes }] of rows) {
    if (repeat !== "until_undone" || typeof undo !== "string" || undo === id) continue;
    expect([id, operationTable[undo as keyof typeof operationTable]?.unmakes?.(request)]).toEqual([
      id,
      makes?.(request, {}),
    ]);
  }
});

it("answers a repeated call for ever only where something can undo the first", () => {
  const lasting = rows.filter(([, { repeat }]) => repeat === "until_undone");
  expect(lasting.filter(([, { undo, makes }]) => typeof undo !== "string" || makes === undefined)).toEqual(
    [],
  );
});
