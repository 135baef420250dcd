import { failed, ok } from "@toolpact/outcome";
import { expect, test } from "vitest";
import { notesCatalog, product, readStack } from "../../test/notes-product.ts";
import type { JsonObject } from "../json.ts";
import { createPipeline } from "../pipeline.ts";
import { provideServices } from "../product.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { type AuditRecord, type AuditSink, audit } from "./audit.ts";

async function call(tool: string, args: JsonObject, sink: AuditSink, storeIsThere = true) {
  const clock = new FakeClock();
  const pipeline = createPipeline({
    catalog: notesCatalog,
    product,
    stackFor: () => readStack.bind({ clock }),
    services: provideServices(product, {
      store: () => {
        clock.advance(5);
        return storeIsThere ? ok({ notes: new Map() }) : failed({ message: "The store is closed." });
      },
    }),
    observers: [audit(sink)],
    onBug: () => {},
    clock,
    newId: () => "c-1",
  });
  const startedAt = clock.now();
  const caller = { transport: "cli", client: "tester" } as const;
  return { answer: await pipeline.call({ tool, args, caller }), startedAt };
}

test("an audit has who did what and how it ended", async () => {
  const records: AuditRecord[] = [];
  const { startedAt } = await call(
    "get_note",
    { id: "1" },
    { write: (record) => void records.push(record) },
    false,
  );
  expect(records).toEqual([
    {
      id: "c-1",
      at: startedAt,
      tool: "get_note",
      action: undefined,
      client: "tester",
      input: { id: "1" },
      outcome: "failed",
      code: "store_error",
      elapsedMs: 5,
    },
  ]);
});

test("a call with bad arguments is recorded too, without its secrets", async () => {
  const records: AuditRecord[] = [];
  await call("add_note", { text: 7, token: "hunter2" }, { write: (record) => void records.push(record) });
  expect(records).toMatchObject([
    { outcome: "failed", code: "invalid_input", input: { text: 7, token: "[secret]" } },
  ]);
});

test("a call that ends in a bug is recorded with the internal code", async () => {
  const records: AuditRecord[] = [];
  await call("break_down", { how: "throw" }, { write: (record) => void records.push(record) });
  expect(records).toMatchObject([{ outcome: "failed", code: "internal" }]);
});

test("a record that cannot be written is a warning in the answer, not a failed call", async () => {
  const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
  const { answer } = await call("list_notes", {}, { write: () => Promise.reject(full) });
  expect(answer).toMatchObject({
    failed: false,
    envelope: { meta: { warnings: ["This call could not be written to the audit log: ENOSPC."] } },
  });
});
