/** Since when the heartbeats of other processes have been unchanged, by the clock of the observer: clocks may differ. */
export interface HeartbeatWatch {
  /** Notes a heartbeat as it is at a time (ms). Returns for how long it has been the same. */
  note(process: string, heartbeat: string, at: number): number;
  forget(process: string): void;
  /** Forgets all processes but these. */
  keepOnly(processes: ReadonlySet<string>): void;
}

export function createHeartbeatWatch(): HeartbeatWatch {
  const lastSeen = new Map<string, { heartbeat: string; since: number }>();

  return {
    note(process, heartbeat, at) {
      const last = lastSeen.get(process);
      const since = last?.heartbeat === heartbeat ? last.since : at;
      lastSeen.set(process, { heartbeat, since });
      return at - since;
    },

    forget(process) {
      lastSeen.delete(process);
    },

    keepOnly(processes) {
      for (const process of lastSeen.keys()) {
        if (!processes.has(process)) lastSeen.delete(process);
      }
    },
  };
}
