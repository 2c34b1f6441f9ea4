import { setTimeout as sleep } from 'node:timers/promises';
import { type EventLike, keyOf } from './changing-source.ts';
import type { Installation } from './installation.ts';
import type { Follower, Position } from './listing-clients.ts';

const POLL_MS = 1_000;
const ANSWER_MS = 5_000;

interface Events {
  epoch: string;
  last: number;
  complete: boolean;
  hasMore: boolean;
  events: (EventLike & { number: number })[];
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the service
async function read(url: string): Promise<any> {
  return (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })).json();
}

/** All events in the log of a process, in their order. */
async function readLog(listing: string): Promise<Events> {
  let part: Events = (await read(`${listing}/api/anime/events`)).data;
  const events = [...part.events];
  while (part.hasMore) {
    part = (await read(`${listing}/api/anime/events?since=${part.last}&epoch=${part.epoch}`)).data;
    events.push(...part.events);
  }
  return { ...part, events };
}

export interface Settled {
  /** The log of each process. */
  logs: Events[];
  tookMs: number;
  /** What had not settled in time; empty if everything had. */
  missing: string[];
}

interface Waiting {
  /** How many changes of the source must be in the log. */
  expected: number;
  followers: Record<string, Follower>;
  /** How many different events the webhook has accepted. */
  countAccepted: () => number;
  maxMs: number;
}

/** Waits until all processes are ready and agree, and every follower has received all events. */
export async function settle({ members }: Installation, waiting: Waiting): Promise<Settled> {
  const { expected, followers, countAccepted, maxMs } = waiting;
  const startedAt = Date.now();
  const processes = members.map((member) => member.process);
  let missing: string[] = [];
  let logs: Events[] = [];

  async function findMissing(): Promise<string[]> {
    logs = await Promise.all(processes.map(({ listing }) => readLog(listing)));
    const readiness = await Promise.all(processes.map(({ operations }) => read(`${operations}/readyz`)));
    const [first] = logs;
    const last = first?.last ?? 0;
    const keys = new Set(first?.events.map(keyOf));
    return [
      ...readiness.flatMap(({ status, dependencies }, index) =>
        status && !Object.values(dependencies).includes('down')
          ? []
          : [`process ${index + 1} is not ready: ${JSON.stringify(dependencies)}`],
      ),
      ...logs.flatMap((log, index) =>
        JSON.stringify(log.events) === JSON.stringify(first?.events)
          ? []
          : [`process ${index + 1} has ${log.last} events, the first ${last}`],
      ),
      ...(keys.size < expected ? [`the log has ${keys.size} events of ${expected} changes`] : []),
      ...(countAccepted() < keys.size ? [`the webhook has ${countAccepted()} of ${keys.size}`] : []),
      ...Object.entries(followers).flatMap(([name, follower]) =>
        follower.last() === last ? [] : [`the ${name} is at ${follower.last()} of ${last}`],
      ),
    ];
  }

  do {
    await sleep(POLL_MS);
    missing = await findMissing().catch((error: unknown) => [`a process does not answer: ${error}`]);
  } while (missing.length > 0 && Date.now() - startedAt < maxMs);
  return { logs, tookMs: Date.now() - startedAt, missing };
}

/** Whether a position is in the log as it is now: then nothing that its client received was lost. */
export async function isInLog(listing: string, { epoch, number }: Position): Promise<boolean> {
  const query = epoch ? `?since=${number}&epoch=${epoch}` : `?since=${number}`;
  return (await read(`${listing}/api/anime/events${query}`)).data.complete;
}
