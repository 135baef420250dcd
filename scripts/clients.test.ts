import { beforeAll, describe, expect, test } from "vitest";
import { failuresOf } from "./clients/check-client.ts";
import { REAL_CLIENTS } from "./clients/client-table.ts";
import { buildDriven, runInNamespace } from "./clients/namespace.ts";

const TIMEOUT_MS = 600_000;

describe("a published client, set up by `mcp setup`", () => {
  beforeAll(buildDriven, TIMEOUT_MS);

  test.for(REAL_CLIENTS)(
    "$title uses tuitbot, godot-mcp-omni and the gate",
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
