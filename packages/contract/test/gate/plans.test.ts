import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { planIn, planWords } from "../../src/gate/plan-calls.ts";
import type { JsonObject } from "../../src/json.ts";
import { lab, legs, patience, published } from "./lab.ts";

test.each(legs)(
  "over $transport, $era: a plan waits as a whole, and each of its calls is sent once, as it was shown",
  async (leg) => {
    const { connect, folder, storage } = await lab(
      'wait_seconds = 30\nplans = true\n[tools]\nread_text_file = "read_only"\nmove_file = "deny"\n',
    );
    const files = join(folder, "files");
    mkdirSync(files);
    writeFileSync(join(files, "log"), "x");
    const at = (name: string) => join(files, name);
    const { client, call } = await connect(leg, { server: published("server-filesystem", files) });
    expect((await client.listTools()).tools[0]?.name).toBe("plan_calls");
    const plan = (calls: JsonObject[], title = 'Tidy "up"') => call("plan_calls", { title, calls });
    const write = (name: string) => ({ tool: "write_file", arguments: { path: at(name), content: name } });
    const edit = {
      tool: "edit_file",
      arguments: { path: at("log"), edits: [{ oldText: "x", newText: "xx" }] },
    };

    for (const [calls, problem] of [
      [
        [write("a"), { tool: "read_text_file", arguments: { path: at("a") } }],
        "Call 2: read_text_file needs no",
      ],
      [[write("a"), write("a")], "Call 2: it is equal"],
      [[{ tool: "move_file", arguments: {} }], "Call 1: there is no tool"],
      [[], "Too small"],
    ] as const)
      expect(await plan([...calls])).toMatchObject({ isError: true, text: expect.stringContaining(problem) });
    expect(await storage.items("waiting", Date.now())).toEqual([]);

    const answer = JSON.parse((await plan([write("a"), edit, write("b")])).text);
    expect(answer.calls).toMatchObject([1, 2, 3].map((item_id) => ({ code: "waiting_for_person", item_id })));
    const items = await storage.items("waiting", Date.now());
    expect(items.map(({ reason }) => planIn(reason))).toEqual(
      [1, 2, 3].map((step) => ({ id: answer.plan, title: 'Tidy "up"', step, of: 3 })),
    );
    for (const { id, digest } of items)
      await storage.decide({
        id,
        digest,
        approve: id !== 3,
        by: "person in a test",
        note: "",
        now: Date.now(),
      });
    await vi.waitFor(() => expect(readFileSync(at("log"), "utf8")).toBe("xx"), patience);
    expect([existsSync(at("a")), existsSync(at("b"))]).toEqual([true, false]);
    // Equal calls get their results, and nothing is sent again.
    expect(await call("edit_file", edit.arguments)).toMatchObject({
      isError: false,
      gate: { from_receipt: true },
    });
    expect(await call("write_file", write("b").arguments)).toMatchObject({
      gate: { code: "rejected_by_person" },
    });
    expect(readFileSync(at("log"), "utf8")).toBe("xx");
  },
);

test("a plan's title cannot pass for another plan", () => {
  const step = { id: "0123abcd", title: 'a" (ffffffff). Call 1 of 1 of the plan "b', step: 2, of: 3 };
  expect(planIn(`${planWords(step)}The policy requires approval.`)).toEqual(step);
  expect(planIn("The policy requires approval.")).toBeUndefined();
});
