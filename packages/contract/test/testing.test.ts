import { expect, test } from "vitest";
import * as z from "zod";
import { askFor, defineServer, ok } from "../src/index.ts";
import { connect, FakeClock, scriptedPerson, surfaceSnapshot } from "../src/testing/index.ts";
import { notesApp } from "./notes-product.ts";

const server = defineServer({ name: "colors", version: "1.0.0", instructions: "Asks for colors." });
const color = server.tool({
  name: "ask_color",
  title: "Ask for a color",
  description: "Ask the person for a color.",
  effect: "none",
  openWorld: false,
  errors: ["denied"],
  input: z.strictObject({}),
  output: z.object({ content: z.record(z.string(), z.unknown()) }),
  handler: (_input, { ask }) => {
    const reply = ask.reply("color");
    if (reply.kind === "accepted") return ok({ content: reply.content });
    if (reply.kind === "refused") return server.errors.fail("denied", `The person said ${reply.action}.`);
    const schema = z.object({ sure: z.boolean(), name: z.string() }).partial();
    return askFor({ color: { kind: "form", message: "Which color?", schema } });
  },
});
const colorApp = () => server.app({ tools: [color] });

test.each(["modern", "legacy"] as const)(
  "a %s client has a person who answers by the script, and knows what they were asked",
  async (era) => {
    const person = scriptedPerson(["yes", "no", "cancel", { text: "blue" }, { form: { name: "red" } }]);
    await using server = await connect(colorApp(), { era, person });
    expect(server.client.getProtocolEra()).toBe(era);
    expect(await server.call("ask_color")).toMatchObject({ data: { content: { sure: true } } });
    for (const action of ["decline", "cancel"])
      expect(await server.call("ask_color")).toMatchObject({
        error: { code: "denied", message: `The person said ${action}.` },
      });
    expect(await server.call("ask_color")).toMatchObject({ data: { content: { name: "blue" } } });
    expect(await server.call("ask_color")).toMatchObject({ data: { content: { name: "red" } } });
    expect(person.asked).toHaveLength(5);
    expect(person.asked[0]).toMatchObject({
      message: "Which color?",
      fields: { sure: { type: "boolean" }, name: { type: "string" } },
    });
    await expect(server.call("ask_color")).rejects.toThrow();
  },
);

test("without a person the client declares no form support", async () => {
  const { app, store } = notesApp();
  store.notes.set("1", "mine");
  await using server = await connect(app);
  expect(await server.call("delete_note", { id: "1" })).toMatchObject({ error: { code: "denied" } });
});

test("a clock calls back in the order of time, at its time, also what is set on the way", () => {
  const clock = new FakeClock(0);
  const seen: [string, number][] = [];
  const note = (name: string) => () => void seen.push([name, clock.now()]);
  clock.after(20, note("late"));
  clock.after(10, () => {
    note("early")();
    clock.after(5, note("between"));
    clock.after(500, note("never"));
  });
  const takeBack = clock.after(12, note("taken back"));
  takeBack();
  clock.advance(9);
  expect(seen).toEqual([]);
  clock.advance(91);
  expect(seen).toEqual([
    ["early", 10],
    ["between", 15],
    ["late", 20],
  ]);
  expect(clock.now()).toBe(100);
  expect(clock.pending).toBe(1);
});

test("a surface is a text that says what a client sees and what it costs", () => {
  const { surface } = colorApp();
  expect(surfaceSnapshot(surface)).toMatchInlineSnapshot(`
    "{
      "server": "colors",
      "cost": {
        "tools": 1,
        "list": {
          "bytes": 641,
          "tokens": 161
        },
        "instructions": {
          "bytes": 16,
          "tokens": 4
        }
      },
      "instructions": "Asks for colors.",
      "tools": [
        {
          "name": "ask_color",
          "title": "Ask for a color",
          "description": "Ask the person for a color.",
          "inputSchema": {
            "type": "object",
            "properties": {},
            "additionalProperties": false
          },
          "outputSchema": {
            "type": "object",
            "properties": {
              "success": {
                "type": "boolean"
              },
              "data": {
                "anyOf": [
                  {
                    "type": "object",
                    "properties": {
                      "content": {
                        "type": "object",
                        "propertyNames": {
                          "type": "string"
                        },
                        "additionalProperties": true
                      }
                    },
                    "required": [
                      "content"
                    ],
                    "additionalProperties": false
                  },
                  {
                    "type": "null"
                  }
                ]
              },
              "error": {
                "type": "object"
              },
              "meta": {
                "type": "object"
              }
            },
            "required": [
              "success",
              "data"
            ]
          },
          "annotations": {
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": false
          },
          "cost": {
            "bytes": 639,
            "tokens": 160
          }
        }
      ]
    }
    "
  `);
  const [tool = {}] = surface.tools;
  const longer = { ...surface, tools: [{ ...tool, description: `${tool.description} Then paint.` }] };
  expect(surfaceSnapshot(longer)).not.toBe(surfaceSnapshot(surface));
});
