import { defineServer, ok } from "@toolpact/contract";
import { serveStdio } from "@toolpact/contract/stdio";
import * as z from "zod";
import { fail, probeInput, probes, text } from "./probe-tools.ts";

const output = z.object({ text: z.string() });
const common = { effect: "create", openWorld: false, errors: [], input: probeInput, output } as const;
const { boom, large } = probes;
const server = defineServer({ name: "compare", version: "1.0.0" });
serveStdio(
  server.app({
    tools: [
      server.tool({
        ...common,
        name: "boom",
        title: "Boom",
        description: boom.description,
        handler: () => fail(),
      }),
      server.tool({
        ...common,
        name: "large",
        title: "Large",
        description: large.description,
        handler: () => ok({ text: text() }),
      }),
    ],
  }),
);
