/** `Outcome` alone, for modules that must not load the rest of this package. */
export { type Failed, failed, type Outcome, ok, type Success } from "@toolpact/outcome";
