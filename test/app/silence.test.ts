import { expect, test } from 'vitest';
import { watchSilence } from '../../src/app/threads/silence.ts';

const TICK = 1_000;

/** A thread that uses so many ms of CPU time in each tick; null if it executes nothing, and so does not reply. */
function open(cpuMsPerTick: number | null) {
  const thread = { cpuMs: 500, cpuMsPerTick };
  const heard: string[] = [];
  const silence = watchSilence({
    readCpuMs: () => (thread.cpuMsPerTick === null ? new Promise(() => {}) : Promise.resolve(thread.cpuMs)),
    onFrozen: (cpuMs) => heard.push(`frozen ${cpuMs}`),
    onStarved: (silentMs) => heard.push(`starved ${silentMs}`),
    onAnswer: (silentMs) => heard.push(`answers ${silentMs}`),
  });
  silence.noteReady();
  async function pass(ticks: number): Promise<void> {
    for (let tick = 0; tick < ticks; tick += 1) {
      thread.cpuMs += thread.cpuMsPerTick ?? 0;
      silence.tick(TICK);
      await new Promise(setImmediate);
    }
  }
  return { ...silence, thread, heard, pass };
}

test('a thread that runs all the time without an answer is frozen after ten seconds', async () => {
  const { heard, pass } = open(1_000);
  await pass(12);
  expect(heard).toEqual([]);
  await pass(1);
  expect(heard).toEqual(['frozen 11000']);
});

test('a thread on a busy machine is frozen only once it has run for ten seconds itself', async () => {
  const { heard, pass } = open(100);
  await pass(102);
  expect(heard).toEqual(['starved 10000']);
  await pass(1);
  expect(heard.at(-1)).toMatch(/^frozen 101/u);
});

test.each([null, 0])(
  'a thread that does not run is reported once, and its answer too (%j)',
  async (cpuMs) => {
    const { heard, pass, end } = open(cpuMs);
    await pass(600);
    expect(heard).toEqual(['starved 10000']);
    end();
    expect(heard).toEqual(['starved 10000', 'answers 600000']);
    await pass(9);
    end();
    expect(heard).toHaveLength(2);
  },
);

test('a thread that answers now and then is never frozen, whatever it uses', async () => {
  const { heard, pass, end } = open(1_000);
  for (let round = 0; round < 20; round += 1) {
    await pass(9);
    end();
  }
  expect(heard).toEqual([]);
});

test('a thread that starts may take a minute of CPU time', async () => {
  const heard: number[] = [];
  let cpuMs = 0;
  const silence = watchSilence({
    readCpuMs: async () => cpuMs,
    onFrozen: (ms) => heard.push(ms),
    onStarved() {},
    onAnswer() {},
  });
  for (let tick = 0; tick < 62; tick += 1) {
    cpuMs += 1_000;
    silence.tick(TICK);
    await new Promise(setImmediate);
  }
  expect(heard).toEqual([]);
  cpuMs += 1_000;
  silence.tick(TICK);
  await new Promise(setImmediate);
  expect(heard).toEqual([61_000]);
});
