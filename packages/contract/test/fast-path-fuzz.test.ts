import { describe, test } from "vitest";
import { compareOnStdio, compareOverHttp } from "./fast-path-random.ts";
import { ERAS } from "./fast-path-servers.ts";

describe.each(ERAS)("the fast path, %s", (era) => {
  test("sends the same bytes as the SDK for 1,500 random calls on stdio", async () => {
    await compareOnStdio(era, 1_500);
  }, 300_000);

  test("sends the same bytes as the SDK for 1,500 random calls over HTTP", async () => {
    await compareOverHttp(era, 1_500);
  }, 300_000);
});
