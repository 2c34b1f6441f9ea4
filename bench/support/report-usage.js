// Loaded into each measured server before its own code: reports the usage of the process on request. It is plain
// JavaScript because the type stripper would count as memory of the server, in each of its threads.

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

// The server ends with the benchmark that started it.
process.once('disconnect', () => process.exit());
