import {
  deadline,
  defineErrors,
  defineProduct,
  lane,
  ok,
  oneLaneApp,
  type SuccessNotes,
  successEnvelope,
} from "@toolpact/contract";
import { serveStdio } from "@toolpact/contract/stdio";
import * as z from "zod";

const errors = defineErrors(
  {
    bad_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    too_slow: { category: "server", retryable: true, meaning: "The deadline passed" },
    bug: { category: "server", retryable: false, meaning: "A defect of this server" },
  },
  { badInput: "bad_input", duplicate: "bad_input", deadline: "too_slow", internal: "bug" },
);

const product = defineProduct<object, SuccessNotes>()({
  errors,
  categories: ["dice"],
  profiles: ["everyone"],
  services: {},
});

const rollDice = product.defineTool({
  name: "roll_dice",
  title: "Roll dice",
  describe: "Roll some six-sided dice and add them up.",
  category: "dice",
  effect: "none",
  openWorld: false,
  profiles: ["everyone"],
  needs: [],
  errors: [],
  input: z.strictObject({ dice: z.int().min(1).max(20).describe("How many dice") }),
  output: z.object({ rolls: z.array(z.number()), sum: z.number() }),
  run: ({ dice }) => {
    const rolls = Array.from({ length: dice }, () => 1 + Math.floor(Math.random() * 6));
    return ok({ rolls, sum: rolls.reduce((a, b) => a + b) });
  },
});

const app = oneLaneApp({
  name: "dice",
  version: "1.0.0",
  instructions: "Rolls dice.",
  product,
  tools: [rollDice],
  lane: lane({ name: "read", guards: [deadline(errors)], dialect: successEnvelope(errors).timed }),
  services: {},
  onBug: ({ reference, error }) => console.error(reference, error),
});

serveStdio(app);
