import { WARM_UP_MINUTES } from './flatness.ts';
import { formatSample, judgeSoak } from './judge.ts';
import { readResults, writeResults } from './results.ts';
import { soak } from './soak.ts';

/** `soak [minutes] [folder]` */
export async function proveSoak([minutes = '120', folder = 'soak-result']: string[]): Promise<boolean> {
  const isLongEnough = Number.isInteger(Number(minutes)) && Number(minutes) >= WARM_UP_MINUTES + 2;
  if (!isLongEnough)
    throw new Error(`The minutes must be a whole number of at least ${WARM_UP_MINUTES + 2}.`);
  const samples = await soak(Number(minutes), folder, (sample) => console.log(formatSample(sample)));
  return judgeSoak(samples, console.log);
}

/** `soak-result [folder]`: judges the samples of a run that was ended early, and draws its chart again. */
export async function proveSoakResult([folder = 'soak-result']: string[]): Promise<boolean> {
  const samples = await readResults(folder);
  await writeResults(folder, samples);
  return judgeSoak(samples, console.log);
}
