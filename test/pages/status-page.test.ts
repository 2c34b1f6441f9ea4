import { expect, test } from 'vitest';
import { createTimes } from '../../src/pages/formats.ts';
import { TRANSLATIONS } from '../../src/pages/i18n/translations.ts';
import { renderStatusPage } from '../../src/pages/status-page.ts';
import { SHOWN_AT, sourceIn } from '../support/situations.ts';

const MACHINE = 'the list has 3 anime in place of 80';

test.each([
  ['id', 'Ada perubahan besar yang belum pasti'],
  ['en', 'A large change'],
] as const)(
  'the status says in words what is pending, in %s, and folds what is for machines',
  (language, words) => {
    const texts = TRANSLATIONS[language];
    const pending = { reason: MACHINE, since: SHOWN_AT - 3_600_000, readings: 1 } as never;
    const page = { source: { ...sourceIn('usual'), pending }, nextAttempt: null, changedAt: null };
    const context = { texts, times: createTimes(texts.locale, 'Asia/Jakarta') };
    const text = renderStatusPage({ ...page, lateness: [], now: SHOWN_AT } as never, context);
    expect(text).toMatch(/18[.:]40/u);
    expect(text).toContain(words);
    expect(text.replace(/<details>.*?<\/details>/gsu, '')).not.toContain(MACHINE);
    expect(text).toContain(MACHINE);
  },
);
