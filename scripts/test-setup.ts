import { configureGlobal } from "fast-check";

// Property tests use new examples on every run, except in CI, which uses a fixed seed.
if (process.env.CI) configureGlobal({ seed: 20_261_115 });
