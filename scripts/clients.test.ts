import { beforeAll, describe, expect, test } from "vitest";
import { build } from "./build.ts";
import { failuresOf } from "./clients/check-client.ts";
import { REAL_CLIENTS } from "./clients/client-table.ts";
import { runInNamespace } from "./clients/namespace.ts";

const TIMEOUT_MS = 600_000;

describe("a published client, set up by `mcp setup`", () => {
  beforeAll(() => build(({ name }) => name === "tuitbot"), TIMEOUT_MS);

  test.for(REAL_CLIENTS)(
    "$title calls tuitbot over stdio and HTTP",
    { timeout: TIMEOUT_MS },
    async (client, { skip }) => {
      const tested = await runInNamespace(client);
      if (typeof tested === "string") {
        console.error(`!!! NOT TESTED with ${client.title}: ${tested}`);
        return skip();
      }
      expect(failuresOf(tested.report), tested.report.folder).toEqual([]);
    },
  );
});
