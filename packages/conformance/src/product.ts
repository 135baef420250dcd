import { defineErrors } from "@toolpact/contract";
import { defineProduct } from "@toolpact/contract/internal";
import { contentBlocks } from "./content-format.ts";

export const errors = defineErrors(
  {
    invalid_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    intended: { category: "fixture", retryable: false, meaning: "The suite wants to see a failure" },
    too_slow: { category: "server", retryable: true, meaning: "The deadline passed" },
    internal: { category: "server", retryable: false, meaning: "A bug in the server" },
  },
  { badInput: "invalid_input", duplicate: "invalid_input", deadline: "too_slow", internal: "internal" },
);

/** The conformance server as a product: no services, no metadata next to the content. */
export const product = defineProduct<{ services: Record<never, never> }>()({
  errors,
  categories: ["fixture"],
  profiles: ["all"],
  services: {},
});

/** Fields shared by all fixtures. A fixture that can fail declares its own. */
export const fixture = {
  category: "fixture",
  effect: "none",
  openWorld: false,
  profiles: ["all"],
  needs: [],
  errors: [],
  output: contentBlocks,
} as const;
