// Loaded into a server before it starts: on SIGUSR2 it collects all garbage and says on stderr what memory is left.
process.on("SIGUSR2", () => {
  // What lives outside of the heap is let go only after the objects that held it.
  globalThis.gc();
  globalThis.gc();
  process.stderr.write(`${JSON.stringify(process.memoryUsage())}\n`);
});
