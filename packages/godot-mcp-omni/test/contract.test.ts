import { EFFECTS, type Effect, type JsonObject, type Tool } from "@toolpact/contract";
import { describe, expect, it } from "vitest";
import { errors } from "../src/errors.ts";
import { allTools } from "../src/tools/all.ts";
import { declaredCodes } from "./declared-codes.ts";
import { SAMPLE_CALLS } from "./sample-calls.ts";
import { openTestServer } from "./server-project.ts";

interface EveryAction {
  readonly tool: Tool;
  readonly action: string | undefined;
  readonly effect: Effect | undefined;
}

const everyAction = allTools.tools.flatMap((tool): EveryAction[] =>
  tool.actions.length === 0
    ? [{ tool, action: undefined, effect: tool.effects[0] }]
    : tool.actions.map(({ name, effect }) => ({ tool, action: name, effect })),
);

function sampleOf(tool: string, action: string | undefined) {
  const found = SAMPLE_CALLS.find((call) => call.tool === tool && call.action === action);
  if (found === undefined) throw new Error(`${tool} ${action} has no sample call.`);
  return found;
}

/** One line of at most 120 characters that begins like a sentence or with a name, ends like one, and has no code. */
function isShortSentence(summary: string): boolean {
  return /^[^\n]{0,119}[.!?…)]$/u.test(summary) && !/\bE_[A-Z]/.test(summary) && summary.includes(" ");
}

describe("every action of every tool", () => {
  it("has a sample call", () => {
    for (const { tool, action } of everyAction) sampleOf(tool.name, action);
    expect(SAMPLE_CALLS).toHaveLength(everyAction.length);
  });

  it("answers its sample call in the envelope, with the code that was promised", async () => {
    const server = openTestServer();
    for (const { tool, args, expected, action } of SAMPLE_CALLS) {
      const answer = await server.call(tool, args);
      const what = `${tool} ${action ?? ""}: ${answer.error?.message ?? answer.summary}`;
      expect(answer.ok ? "ok" : answer.error?.code, what).toBe(expected);
      expect(answer.summary, what).toSatisfy(isShortSentence);
      expect(answer.meta, what).toMatchObject({ tool, action: action ?? null });
      if (answer.ok) {
        expect(answer.error, what).toBeNull();
        expect(answer.result, what).toBeTypeOf("object");
      } else {
        expect(answer.result, what).toBeNull();
        expect(answer.errors, what).toEqual([{ code: expected, message: answer.error?.message }]);
        expect(answer.error, what).toMatchObject({
          message: expect.stringMatching(/\S/),
          retryable: errors.rows[expected as keyof typeof errors.rows].retryable,
        });
      }
    }
    expect(server.bugs).toEqual([]);
  });

  it("repeats its result or its details as details with --legacy-fields", async () => {
    const server = openTestServer({ flags: { "legacy-fields": true } });
    for (const { tool, args } of SAMPLE_CALLS) {
      const { ok, result, error, details, errors } = await server.call(tool, args);
      expect(details, JSON.stringify(args)).toEqual(ok ? result : error?.details);
      expect(errors?.[0]?.details, JSON.stringify(args)).toEqual(error?.details);
    }
  });

  it("has a result type that tool_help returns", async () => {
    const { call } = openTestServer();
    for (const { tool, action } of everyAction) {
      const help = {
        action: "tool_help",
        tool: tool.name,
        ...(action !== undefined && { toolAction: action }),
      };
      const { resultSchema } = (await call("godot_meta", help)).result ?? {};
      const { properties, anyOf } = resultSchema as JsonObject;
      expect(properties ?? anyOf, `${tool.name} ${action}`).toBeDefined();
    }
  });

  it("declares the codes it answers with", () => {
    for (const { tool, action, expected } of SAMPLE_CALLS)
      if (expected !== "ok") expect(declaredCodes(tool, action), `${tool} ${action}`).toContain(expected);
  });
});

describe.each(everyAction.map(({ tool, action, effect }) => [tool.name, action ?? "", effect] as const))(
  "%s %s",
  (tool, action, effect) => {
    const args = () => sampleOf(tool, action === "" ? undefined : action).args;

    it("refuses a parameter it does not have", async () => {
      const { call } = openTestServer();
      expect(await call(tool, { ...args(), bogus: 1 })).toMatchObject({
        ok: false,
        result: null,
        error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining("bogus") },
      });
    });

    it("refuses a parameter of another type", async () => {
      const { call } = openTestServer();
      const given = args();
      const name = Object.keys(given).find((key) => key !== "action");
      if (name === undefined) return;
      expect(await call(tool, { ...given, [name]: { wrong: [true] } as JsonObject })).toMatchObject({
        ok: false,
        error: { code: expect.stringMatching(/^E_(?:SCHEMA_VALIDATION|NOT_FOUND)$/) },
      });
    });

    it("rejects paths outside of the project", async () => {
      const { call, root } = openTestServer();
      for (const [key, value] of Object.entries(args())) {
        if (typeof value !== "string" || !value.startsWith("res://")) continue;
        const ending = /\.\w+$/.exec(value)?.[0] ?? "";
        for (const [path, gate] of [
          [`res://../outside${ending}`, "project_folder"],
          [`/etc/passwd${ending}`, "project_folder"],
          [`res://.git/config${ending}`, "closed_folder"],
          [`${root}/.godot_mcp/audit${ending}`, "closed_folder"],
        ] as const) {
          const answer = await call(tool, { ...args(), [key]: path });
          // Files that need a gate to be opened are refused there first.
          const closed = answer.error?.details?.gate === "ALLOW_DANGEROUS_OPS";
          expect(answer.ok, `${key} ${path}`).toBe(false);
          if (!closed)
            expect(answer.error, `${key} ${path}`).toMatchObject({
              code: "E_PERMISSION_DENIED",
              details: { gate },
            });
        }
      }
    });

    it("is refused by name on a read-only server if it changes something", async () => {
      const { call } = openTestServer({ flags: { "read-only": true } });
      const answer = await call(tool, args());
      if (effect !== undefined && EFFECTS[effect].mutates)
        expect(answer).toMatchObject({
          ok: false,
          error: { code: "E_PERMISSION_DENIED", details: { gate: "READ_ONLY" } },
        });
      else expect(answer.error?.details?.gate).not.toBe("READ_ONLY");
    });
  },
);

describe.each(allTools.tools.filter((tool) => tool.actions.length > 0).map((tool) => tool.name))(
  "%s",
  (tool) => {
    it("answers an unknown action in the envelope, with its name and the nearest", async () => {
      const { call } = openTestServer();
      const first = allTools.get(tool)?.actions[0]?.name ?? "";
      expect(await call(tool, { action: `${first}x` })).toMatchObject({
        ok: false,
        error: { code: "E_SCHEMA_VALIDATION", message: expect.stringContaining(`Did you mean \`${first}\``) },
        meta: { tool, action: `${first}x`, correlationId: expect.any(String) },
      });
      expect(await call(tool, {})).toMatchObject({ ok: false, error: { code: "E_SCHEMA_VALIDATION" } });
    });
  },
);
