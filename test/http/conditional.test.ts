import { expect, test } from 'vitest';
import { runConditional } from '../prove/vectors/conditional.ts';
import { CONFIGURATION } from '../prove/vectors/vectors.ts';
import { openReadyService } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

const service = openOnce((defer) => openReadyService(defer, CONFIGURATION));

test('ranges and conditions are answered as the table of cases says, for files and documents', async () => {
  expect(await runConditional(service)).toEqual([]);
});
