/**
 * Ends this process as by SIGTERM when the one that started it is gone: npm starts scripts in a shell, which dies of a
 * signal without handing it on.
 */
export function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, 500).unref();
}
