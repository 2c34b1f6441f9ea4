import { expect, test } from 'vitest';
import { MODELS, type ModelName } from './models/models.ts';

/** The sample of the other one is among the tests of belief. */
type SampledModel = Exclude<ModelName, 'belief over a month'>;

/** A sample of `npm run prove -- models`, the same scenarios each time. */
const SAMPLES: Record<SampledModel, number> = {
  'uploads on a disk': 100,
  'uploads in S3': 100,
};
const SEED = 20;

test.each(Object.keys(SAMPLES) as SampledModel[])(
  'the model of the %s holds in every scenario',
  { timeout: 240_000 },
  async (name) => {
    const { failure } = await MODELS[name]({ runs: SAMPLES[name], seed: SEED });
    expect(failure).toBeUndefined();
  },
);
