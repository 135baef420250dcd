import { configureGlobal } from "fast-check";

// Property tests draw new examples on every run; where a run decides whether a change lands, they draw the same.
if (process.env.CI) configureGlobal({ seed: 20_261_115 });
