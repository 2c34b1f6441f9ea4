import { describe, expect, test } from 'vitest';
import { initialStatus } from '../../src/crawler/source-state.ts';
import { checkRepairs } from '../../src/doctor/repairs.ts';
import { findings } from './support/findings.ts';

const HOUR = 3_600_000;
const FILE = 'src/source/sites/otakudesu/selectors.ts';
const check = (repaired: ReturnType<typeof initialStatus>['repaired']) =>
  findings(
    checkRepairs({
      siteName: 'otakudesu',
      readStatus: async () => ({ ...initialStatus(0), repaired }),
      now: () => 5 * HOUR,
    }),
  );

describe('the repaired selectors', () => {
  test('are warnings with the line to write', async () => {
    const repaired = [
      { field: 'title', was: '.jdlflm', now: '.judul', agreement: 0.987, since: 3 * HOUR },
      { field: 'schedule heading', was: 'h2', now: 'h3', agreement: 1, since: 3 * HOUR },
    ];
    expect(await check(repaired)).toEqual([
      `warning: title: .judul in place of .jdlflm for 2 hours, right on 98 % of the known anime; in ${FILE} write title: '.judul', for the ongoing list`,
      `warning: schedule heading: h3 in place of h2 for 2 hours, right on 100 % of the known anime; in ${FILE} write heading: 'h3', for the schedule`,
    ]);
  });

  test('are usually none', async () => {
    expect(await check([])).toEqual(['ok: none: the written selectors matched in the last good crawl']);
  });
});
