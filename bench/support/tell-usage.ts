/** Loaded into each measured server before its own code: tells what the process has used whenever it is asked. */

/** CPU: utime + stime of all threads. Bytes as they are now. */
export interface Usage {
  cpuSeconds: number;
  residentBytes: number;
  /** What is alive on the heap, and in buffers outside it: exact only where garbage can be collected on demand. */
  aliveBytes: number;
}

process.on('message', (message) => {
  if (message !== 'usage') return;
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const usage: Usage = {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    aliveBytes: heapUsed + external,
  };
  process.send?.(usage);
});

// Not to outlive who measures.
process.once('disconnect', () => process.exit());
