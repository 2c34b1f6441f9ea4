/** Returns a function that returns the CPU time of this process since the call, ms. Load of the machine does not count. */
export function startCpuTimer(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
