/** Loaded into a server before its own code: each SIGUSR2 makes its clock a minute later. */
const { now } = Date;
let aheadMs = 0;
Date.now = () => now() + aheadMs;
process.on("SIGUSR2", () => {
  aheadMs += 61_000;
});
