/** Loaded into a server before its own code: each SIGUSR2 lets a minute pass, by every clock of the process. */
const { now } = Date;
const passed = performance.now.bind(performance);
let aheadMs = 0;
Date.now = () => now() + aheadMs;
performance.now = () => passed() + aheadMs;
process.on("SIGUSR2", () => {
  aheadMs += 61_000;
});
