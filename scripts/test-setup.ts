import { configureGlobal } from "fast-check";

// New examples on every run, except in CI.
if (process.env.CI) configureGlobal({ seed: 20_261_115 });
