import { expect, test } from 'vitest';
import { MODELS, type ModelName } from './models/models.ts';

/** The samples of the other two are among the tests of that driver, which needs a Redis, and of belief. */
type SampledModel = Exclude<ModelName, 'limits in Redis' | 'belief over a month'>;

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
