import * as z from "zod";

/** Every compared server declares both: one throws, one returns a long answer. */
export const probes = {
  boom: { description: "Fail with a secret in the message.", secret: "hunter2" },
  large: { description: "Answer with 200,000 letters.", letters: 200_000 },
};

export const probeInput = z.strictObject({ n: z.number().min(0).describe("Any number") });

export function fail(): never {
  throw new Error(`The password ${probes.boom.secret} is wrong`);
}

export function text(): string {
  return "x".repeat(probes.large.letters);
}
