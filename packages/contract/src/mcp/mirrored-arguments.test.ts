import { describe, expect, test } from "vitest";
import { headerChecks } from "./mirrored-arguments.ts";

const inputSchema = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    page: { type: "object", properties: { size: { type: "integer", "x-mcp-header": "Size" } } },
    text: { type: "string" },
  },
};
const checks = headerChecks([
  { name: "search", inputSchema },
  { name: "plain", inputSchema: { type: "object" } },
]);

function flaw(args: object, headers: Record<string, string>): string | undefined {
  return checks.get("search")?.(new Headers(headers), args);
}

describe("an argument that is repeated in a header", () => {
  const base64 = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

  test.each([
    ["as it stands", { region: "eu" }, { "Mcp-Param-Region": "eu" }],
    ["in Base64", { region: "Österreich" }, { "mcp-param-region": base64("Österreich") }],
    ["deep inside", { page: { size: 42 } }, { "Mcp-Param-Size": "42" }],
    ["as another spelling of a number", { page: { size: 42 } }, { "Mcp-Param-Size": "42.0" }],
    ["as what only looks like Base64", { region: "=?base64?SGk=" }, { "Mcp-Param-Region": "=?base64?SGk=" }],
    ["not at all, where it was not given", { text: "hi", page: null }, {}],
  ])("may come %s", (_how, args, headers) => {
    expect(flaw(args, headers)).toBeUndefined();
  });

  test.each([
    ["left out", {}, "is missing"],
    ["another value", { "Mcp-Param-Region": "us" }, "differs from the argument region"],
    ["Base64 without its padding", { "Mcp-Param-Region": "=?base64?ZXU?=" }, "is not valid Base64"],
    ["Base64 with strange letters", { "Mcp-Param-Region": "=?base64?ZX!U=?=" }, "is not valid Base64"],
    ["Base64 of what is not text", { "Mcp-Param-Region": "=?base64?/w==?=" }, "is not valid Base64"],
  ])("may not be %s", (_what, headers, why) => {
    expect(flaw({ region: "eu" }, headers as Record<string, string>)).toContain(why);
  });

  test("costs nothing where no tool has one", () => {
    expect([...checks.keys()]).toEqual(["search"]);
  });
});
