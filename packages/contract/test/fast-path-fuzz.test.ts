import { test } from "vitest";
import { compareRandomCalls, ERAS } from "./fast-path-servers.ts";

test.each(ERAS)(
  "2,500 random calls get the same bytes with and without the fast path, %s",
  async (era) => {
    await compareRandomCalls(era, 2_500);
  },
  300_000,
);
