import { setTimeout as sleep } from 'node:timers/promises';
import type { Defer } from '../../test/support/defer.ts';
import { startScript } from '../../test/support/run-script.ts';
import { openReceiver } from '../../test/support/webhook-receiver.ts';
import { makeEvents, openEventStore, writeEvents } from '../../test/support/webhook-store.ts';

const SCRIPT = new URL('./send-webhooks.ts', import.meta.url);
/** The events are written in so many steps, while they are sent. */
const STEPS = 5;
/** Ten thousand events, and the stores that they are read from, take a while. */
const MAX_WAIT_MS = 300_000;

interface KillOptions {
  /** The store, which is empty. */
  storeUrl: string;
  events: number;
  kills: number;
  /** The share of attempts that fail, from 0 to 1. */
  failing: number;
  random: () => number;
}

/**
 * Sends events from a process that is killed again and again to a receiver that fails some of the attempts, until the last
 * one is accepted.
 */
export async function killSenders(options: KillOptions, defer: Defer) {
  const { storeUrl, events, kills, failing, random } = options;
  const receiver = await openReceiver(defer);
  const numbers: number[] = [];
  receiver.answer = ({ body }) => {
    if (random() < failing) return 500;
    numbers.push(body.data.number);
    return 204;
  };
  const store = await openEventStore(storeUrl);
  defer(() => store.close());
  await writeEvents(store, []);
  const start = () => startScript(SCRIPT, [storeUrl, receiver.url], defer);
  let kill = start();
  // A receiver that is new begins with what comes after it.
  await waitUntil(() => store.values.get('outbox'));

  const all = makeEvents(1, events, Date.now());
  for (let step = 1; step <= STEPS; step += 1)
    await writeEvents(store, all.slice(0, (events * step) / STEPS));
  for (let killed = 1; killed <= kills; killed += 1) {
    await waitUntil(() => numbers.length >= (events * killed) / (kills + 1));
    await kill();
    kill = start();
  }
  await waitUntil(() => numbers.at(-1) === events);
  await kill();
  return {
    /** The numbers of the events as they were accepted, one by one. */
    accepted: numbers,
    /** Attempts that the receiver failed. */
    failed: receiver.received.length - numbers.length,
  };
}

/** Rejects when nothing has come of it for so long that nothing will. */
async function waitUntil(isTrue: () => unknown): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`not so after ${MAX_WAIT_MS / 1_000} s`);
    await sleep(20);
  }
}

/** The numbers that are missing, and those that came after a later one. One that comes twice in a row was sent again. */
export function findFaults(accepted: readonly number[], events: number) {
  const isThere = new Set(accepted);
  const all = Array.from({ length: events }, (_, index) => index + 1);
  return {
    lost: all.filter((number) => !isThere.has(number)),
    disordered: accepted.filter((number, index) => number < (accepted[index - 1] ?? 0)),
    repeated: accepted.length - isThere.size,
  };
}
