import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, FakeClock, fuzz, lint } from "@toolpact/contract/testing";
import { createApp, errors } from "../src/app.ts";

for (const era of ["modern", "legacy"] as const)
  test(`a ${era} client adds notes`, async () => {
    await using server = await connect(createApp(), { era });
    assert.deepEqual((await server.call("add_note", { text: "one" })).data, { count: 1 });
    assert.deepEqual((await server.call("add_note", { text: "two" })).data, { count: 2 });
  });

test("the guard allows ten changes a minute", async () => {
  const clock = new FakeClock();
  await using server = await connect(createApp(clock));
  const add = async (text: string) => (await server.call("add_note", { text })).success;
  for (let count = 1; count <= 10; count++) assert.equal(await add(`note ${count}`), true);
  assert.equal(await add("one too many"), false);
  clock.advance(60_000);
  assert.equal(await add("a minute later"), true);
});

test("every answer is an envelope, even for bad input", async () => {
  const { findings } = await fuzz(createApp(), { errors });
  assert.deepEqual(findings, []);
});

test("clients accept every definition", () => {
  assert.deepEqual(lint(createApp().surface).findings, []);
});
