import { join } from "node:path";
import { expect, test } from "vitest";
import { lab, twoLegs } from "./lab.ts";

const server = [process.execPath, join(import.meta.dirname, "deep-server.ts")];

test.each(twoLegs)(
  "a gate leaves out an answer that is nested too deep, and goes on, over $transport ($era)",
  async (leg) => {
    const { connect } = await lab('[tools]\nnest = "allow"\n');
    const { call } = await connect(leg, { server });
    for (const part of ["structuredContent", "content", "_meta"]) {
      expect(await call("nest", { depth: 150, part })).toMatchObject({ text: "answered" });
      expect(await call("nest", { depth: 3_000, part })).toMatchObject({
        isError: false,
        text: expect.stringContaining("nested deeper than 200 levels"),
      });
    }
  },
  60_000,
);
