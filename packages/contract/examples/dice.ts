import { defineServer, ok } from "@toolpact/contract";
import { serveStdio } from "@toolpact/contract/stdio";
import * as z from "zod";

const dice = defineServer({ name: "dice", version: "1.0.0" });

const rollDice = dice.tool({
  name: "roll_dice",
  description: "Roll some six-sided dice and add them up.",
  effect: "none",
  input: z.strictObject({ dice: z.int().min(1).max(20).describe("How many dice") }),
  output: z.object({ rolls: z.array(z.number()), sum: z.number() }),
  handler: ({ dice }) => {
    const rolls = Array.from({ length: dice }, () => 1 + Math.floor(Math.random() * 6));
    return ok({ rolls, sum: rolls.reduce((a, b) => a + b) });
  },
});

serveStdio(dice.app({ tools: [rollDice] }));
