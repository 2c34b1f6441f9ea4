// Loaded into each measured server before its own code: tells what the process has used whenever it is asked. Plain
// JavaScript: what takes types off would be counted as the server's memory, in each of its threads.

process.on('message', (message) => {
  if (message !== 'usage') return;
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    aliveBytes: heapUsed + external,
  });
});

// Not to outlive who measures.
process.once('disconnect', () => process.exit());
