import { type OperationId, operations } from "@toolpact/x-api/operations";
import { beforeAll, describe, expect, test } from "vitest";
import { handlers } from "../src/operations/handlers.ts";
import { Caller } from "./caller.ts";
import { examples, type Stage, setStage } from "./examples.ts";
import { type ResponseSchemas, responseSchemas } from "./response-schemas.ts";

const served = Object.keys(examples).filter((id): id is OperationId => id in operations);

test("every operation the sandbox serves, except streams, has an example", () => {
  const ends = Object.keys(handlers).filter((id) => operations[id as OperationId].streaming !== true);
  expect(ends.filter((id) => !(id in examples))).toEqual([]);
});

describe("answers match X's specification", () => {
  let schemas: ResponseSchemas;
  let plain: Stage;
  let rich: Stage;

  beforeAll(async () => {
    schemas = responseSchemas();
    plain = await setStage();
    rich = await setStage();
  });

  test.each(served)("%s", async (id) => {
    const heard = await examples[id]?.(plain);
    expect(heard?.status, heard?.text).toBe(operations[id].answer.status);
    expect(heard?.at("data"), heard?.text).toBeDefined();
    // Newer than the specification.
    if (id === "getUsageCredits") return;
    expect(schemas.complaintsAbout(id, heard?.status ?? 0, heard?.body)).toEqual([]);
  });

  test.each(served)("%s with every field and expansion", async (id) => {
    const all = Object.fromEntries(
      operations[id].params
        .filter(({ name, legacy }) => (name.endsWith(".fields") || name === "expansions") && legacy !== true)
        .map(({ name, items }) => [
          name,
          (items?.enum ?? []).filter((value) => !/(^|_|\.)tweets?(_|\.|$)/.test(String(value))).join(),
        ])
        .filter(([, values]) => values !== ""),
    );
    const heard = await examples[id]?.({ ...rich, me: asking(rich.me, all), app: asking(rich.app, all) });
    expect(heard?.status, heard?.text).toBe(operations[id].answer.status);
    if (id === "getUsageCredits") return;
    expect(schemas.complaintsAbout(id, heard?.status ?? 0, heard?.body)).toEqual([]);
  });
});

/** With parameters added to every request. */
function asking(caller: Caller, parameters: Readonly<Record<string, string>>): Caller {
  return new (class extends Caller {
    override send(method: string, path: string, body?: unknown) {
      const query = new URLSearchParams(parameters).toString();
      return caller.send(
        method,
        query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`,
        body,
      );
    }
  })(caller.sandbox, "");
}
