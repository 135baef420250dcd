import { ok, smallApp, smallTool } from "@toolpact/contract";
import { serveStdio } from "@toolpact/contract/stdio";
import * as z from "zod";
import { fail, probeInput, probes, text } from "./probe-tools.ts";

const output = z.object({ text: z.string() });
const common = { effect: "create", openWorld: false, errors: [], input: probeInput, output } as const;
const { boom, large } = probes;
serveStdio(
  smallApp({
    name: "compare",
    version: "1.0.0",
    instructions: "",
    tools: [
      smallTool({
        ...common,
        name: "boom",
        title: "Boom",
        description: boom.description,
        handler: () => fail(),
      }),
      smallTool({
        ...common,
        name: "large",
        title: "Large",
        description: large.description,
        handler: () => ok({ text: text() }),
      }),
    ],
  }),
);
