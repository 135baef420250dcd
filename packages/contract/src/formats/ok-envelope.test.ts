import { failed, ok } from "@toolpact/outcome";
import { describe, expect, test } from "vitest";
import type { RenderContext } from "../envelope-format.ts";
import { defineErrors } from "../errors.ts";
import type { NoAnnotations } from "../product.ts";
import { failureSummary, type OkNotes, okEnvelope } from "./ok-envelope.ts";

const row = (retryable: boolean) => ({ category: "books", retryable, meaning: "" });
const errors = defineErrors(
  {
    E_SCHEMA_VALIDATION: row(false),
    E_NOT_CONNECTED: row(true),
    E_NOT_FOUND: row(false),
    E_PERMISSION_DENIED: row(false),
    E_TIMEOUT: row(true),
    E_UNSUPPORTED: row(false),
    E_INTERNAL: row(false),
  },
  {
    badInput: "E_SCHEMA_VALIDATION",
    duplicate: "E_SCHEMA_VALIDATION",
    deadline: "E_TIMEOUT",
    internal: "E_INTERNAL",
  },
);
const format = okEnvelope(errors);
const context: RenderContext<NoAnnotations> = {
  call: { id: "c-1", action: "add", tool: "shelf" },
  elapsedMs: 7,
  annotations: {},
  warnings: [],
};
const meta = { tool: "shelf", action: "add", correlationId: "c-1", durationMs: 7 };

describe("the ok envelope", () => {
  test("has a summary, the details as result, and a null error for a success", () => {
    const notes: OkNotes = { summary: "Added Emma." };
    expect(format.render(ok({ book: "Emma" }, notes), context).envelope).toEqual({
      ok: true,
      summary: "Added Emma.",
      result: { book: "Emma" },
      error: null,
      meta,
    });
  });

  test("keeps the details next to a tool's own result", () => {
    const notes: OkNotes = { summary: "Added Emma.", result: { place: "the first" } };
    expect(format.render(ok({ book: "Emma" }, notes), context).envelope).toMatchObject({
      result: { place: "the first" },
      details: { book: "Emma" },
    });
  });

  test("of a failure has a null result, a complete error and its first sentence as summary", () => {
    const failure = failed({
      code: "E_NOT_FOUND",
      message: "There is no book Emna. It may have been lent.",
      suggestedFix: "Did you mean Emma?",
      details: { nearest: "Emma" },
    });
    const error = { code: "E_NOT_FOUND", message: "There is no book Emna. It may have been lent." };
    expect(format.render(failure, context).envelope).toEqual({
      ok: false,
      summary: "There is no book Emna.",
      result: null,
      error: {
        ...error,
        retryable: false,
        details: { nearest: "Emma" },
        suggestedFix: "Did you mean Emma?",
      },
      meta,
      errors: [error],
    });
  });

  test("of a failure sends the output in its details as logs", () => {
    const failure = failed({ code: "E_TIMEOUT", message: "Late.", details: { output: ["one", "two"] } });
    expect(format.render(failure, context).envelope).toMatchObject({ logs: ["one", "two"] });
    const silent = failed({ code: "E_TIMEOUT", message: "Late.", details: { output: [] } });
    expect(format.render(silent, context).envelope).not.toHaveProperty("logs");
  });

  test("mirrors results and details for readers of the older fields", () => {
    const legacy = okEnvelope(errors, { legacyFields: true });
    expect(legacy.render(ok({ book: "Emma" }, { summary: "Added." }), context).envelope).toMatchObject({
      result: { book: "Emma" },
      details: { book: "Emma" },
    });
    const failure = failed({ code: "E_NOT_FOUND", message: "Gone.", details: { nearest: "Emma" } });
    expect(legacy.render(failure, context).envelope).toMatchObject({
      details: { nearest: "Emma" },
      errors: [{ code: "E_NOT_FOUND", message: "Gone.", details: { nearest: "Emma" } }],
    });
  });

  test.each([
    ["Gone.", "Gone."],
    ["No file a.gd at res://b.c. Make it first.", "No file a.gd at res://b.c."],
    ["position: expected a number, got text", "position: expected a number, got text."],
    ["Two\nlines: the rest", "Two lines: the rest."],
    [`${"word ".repeat(60)}end.`, `${"word ".repeat(22)}word…`],
    ["x".repeat(300), `${"x".repeat(60)}…`],
  ])("sums the failure %j up in one short sentence", (message, summary) => {
    expect(failureSummary(message)).toBe(summary);
  });

  test("passes logs, warnings, execution and files on, and adds the guards' warnings", () => {
    const files = [{ kind: "list", path: "/books/list.txt", bytes: 12 }];
    const notes: OkNotes = {
      summary: "Saved.",
      logs: ["saved"],
      warnings: ["old format"],
      execution: { mode: "files" },
      files,
    };
    expect(format.render(ok({}, notes), { ...context, warnings: ["no audit"] }).envelope).toMatchObject({
      logs: ["saved"],
      warnings: ["old format", "no audit"],
      execution: { mode: "files" },
      files,
    });
  });

  test("wraps a value that is not an object", () => {
    expect(format.render(ok([1, 2], { summary: "Two." }), context).envelope).toMatchObject({
      result: { value: [1, 2] },
    });
  });

  test("has a null action for a tool without actions", () => {
    const { envelope } = format.render(ok({}, { summary: "." }), {
      ...context,
      call: { ...context.call, action: undefined },
    });
    expect(envelope).toMatchObject({ meta: { action: null } });
  });
});
