import { isOperationId, operations } from "@toolpact/x-api";
import { expect, test } from "vitest";
import { fullCatalog } from "../../server/catalog.ts";

interface Described {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
}

/** With X's own list. */
const examples = fullCatalog.tools.flatMap((tool) => {
  const { properties = {} } = tool.inputSchema("flat") as Described;
  const [operation = ""] = tool.facts.operations ?? [];
  if (!isOperationId(operation)) return [];
  return Object.entries(properties).flatMap(([name, { description = "" }]) => {
    const [, list] = /^Comma-separated: ([\w.,]+)$/.exec(description) ?? [];
    const at = name.replace(/_fields$/, ".fields");
    const param = operations[operation].params.find((one) => one.name === at);
    return list === undefined || param === undefined ? [] : [{ tool: tool.name, name, list, param }];
  });
});

test("every field that a tool names as an example is one that X has for it", () => {
  expect(examples.length).toBeGreaterThan(30);
  const unknown = examples.flatMap(({ tool, name, list, param }) => {
    const known: readonly unknown[] = param.items?.enum ?? [];
    return list
      .split(",")
      .filter((one) => !known.includes(one))
      .map((one) => `${tool}: ${name} ${one}`);
  });
  expect(unknown).toEqual([]);
});
