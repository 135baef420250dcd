import { defineErrors, type SuccessNotes } from "@toolpact/contract";
import { defineProduct } from "@toolpact/contract/internal";

export const errors = defineErrors(
  {
    invalid_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    duplicate: {
      category: "input",
      retryable: false,
      meaning: "The same call came twice",
      reasons: ["duplicate_request"],
    },
    too_slow: { category: "server", retryable: true, meaning: "The deadline passed" },
    internal: { category: "server", retryable: false, meaning: "A bug in the server" },
  },
  { badInput: "invalid_input", duplicate: "duplicate", deadline: "too_slow", internal: "internal" },
);

export const product = defineProduct<{ services: Record<never, never>; notes: SuccessNotes }>()({
  errors,
  categories: ["all"],
  profiles: ["all"],
  services: {},
});
