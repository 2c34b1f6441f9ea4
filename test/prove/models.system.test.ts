import { expect, test } from 'vitest';
import { MODELS, type ModelName } from './models/models.ts';

/** A sample of `npm run prove -- models`, the same scenarios each time. */
const SAMPLES: Record<ModelName, number> = {
  'crawler in memory': 100,
  'crawler on SQLite': 50,
  'uploads on a disk': 20,
};
const SEED = 20;

test.each(Object.keys(SAMPLES) as ModelName[])(
  'the model of the %s holds in every scenario',
  async (name) => {
    const { failure } = await MODELS[name].check({ runs: SAMPLES[name], seed: SEED });
    expect(failure).toBeUndefined();
  },
);
