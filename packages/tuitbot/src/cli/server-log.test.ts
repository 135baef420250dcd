import { expect, test } from "vitest";
import { serverLog } from "./server-log.ts";

function logged(format: "text" | "json"): string[] {
  const lines: string[] = [];
  const err = (line: string) => void lines.push(line);
  // Only what is written on stderr is used of a terminal here.
  const context = { terminal: { err } } as unknown as Parameters<typeof serverLog>[1];
  const { write } = serverLog({ format, status_interval_seconds: 60 }, context);
  write("The runner has stopped.");
  write("A bug (ref 7f3a) in x_get_me.", "7f3a");
  return lines;
}

test("JSON is one object a line, and what went wrong has the reference that the caller was given", () => {
  const [warning, error] = logged("json").map((line) => JSON.parse(line));
  expect(warning).toEqual({
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    level: "warning",
    event: "message",
    message: "The runner has stopped.",
  });
  expect(error).toMatchObject({ level: "error", reference: "7f3a" });
});

test("text is for people: a line each, with the name of the command", () => {
  expect(logged("text")).toEqual([
    "tuitbot: The runner has stopped.\n",
    "tuitbot: A bug (ref 7f3a) in x_get_me.\n",
  ]);
});
