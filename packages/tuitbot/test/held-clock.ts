import { systemClock } from "@toolpact/x-api";

/**
 * Loaded into a server before its code: its clock stands still, and pauses before a retry at X end immediately. A call
 * without an answer is then not resolved in the background, and the same call stays the same, however long the machine
 * takes over a test.
 */
const startedAt = Date.now();
Date.now = () => startedAt;

const { after } = systemClock;
systemClock.after = (ms, run) => after(ms < MAX_PAUSE_MS ? 0 : ms, run);

/** Deadlines of requests are longer, and never come. */
const MAX_PAUSE_MS = 7_000;
