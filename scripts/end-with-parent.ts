/** npm starts scripts in a shell, which dies of a signal without forwarding it. */
export function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, 500).unref();
}
