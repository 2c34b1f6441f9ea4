import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { drawChart } from './chart.ts';
import type { Sample } from './sample.ts';

const SAMPLES = 'soak.json';

/** Reads the samples that `writeResults` has written. */
export async function readResults(folder: string): Promise<Sample[]> {
  return JSON.parse(await readFile(path.join(folder, SAMPLES), 'utf8'));
}

type Drawn = 'readP50' | 'readP99' | 'uploadP50' | 'uploadP99' | 'residentMb' | 'heapMb';

/** Writes the samples of a run and their chart. */
export async function writeResults(folder: string, samples: readonly Sample[]): Promise<void> {
  const line = (name: string, key: Drawn) => ({
    name,
    values: samples.map((sample) => sample[key]),
  });
  const chart = drawChart('Latencies and memory of a soak, by the minute', [
    { title: 'reads of the listing, ms', lines: [line('p50', 'readP50'), line('p99', 'readP99')] },
    { title: 'uploads, ms', lines: [line('p50', 'uploadP50'), line('p99', 'uploadP99')] },
    { title: 'memory, MB', lines: [line('resident', 'residentMb'), line('heap', 'heapMb')] },
  ]);
  await writeFile(path.join(folder, SAMPLES), `${JSON.stringify(samples, null, 1)}\n`);
  await writeFile(path.join(folder, 'soak.svg'), chart);
}
