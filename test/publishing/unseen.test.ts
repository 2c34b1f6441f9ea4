import { describe, expect, test } from 'vitest';
import type { ExpectedEpisode } from '../../src/domain/episode-history.ts';
import type { EditionState } from '../../src/publishing/edition.ts';
import { makeExpected, makeSnapshot, NOW, renderTestEdition } from '../support/edition.ts';
import { makeAnime } from '../support/fake-source.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** 21.00 on a Friday in Jakarta. */
const EVENING = NOW + 14 * HOUR;
const at = (title: string) => ({ ...makeAnime(1), title, slug: title.toLowerCase(), episode: 3 });
const NAGA = { ...at('Naga'), day: 'Jumat' as const, date: '13 Nov' as const };
const PUTRI = { ...at('Putri'), day: 'Jumat' as const, date: '13 Nov' as const };
const UNSEEN = makeExpected(EVENING - 2 * HOUR, { unseen: true });
const LATE = makeExpected(EVENING - 3 * HOUR, { late: true });
const NOTHING = {
  id: ['Belum ada yang rilis', 'Tidak ada rilis', 'Belum ada episode'],
  en: ['Nothing out today', 'No releases', 'No episode yet'],
};

/** What is served of Naga and Putri at that hour, where the source was last read well at another. */
function render(
  [naga, putri]: readonly [ExpectedEpisode | null, ExpectedEpisode | null],
  status: Partial<EditionState['status']> = {},
) {
  const expected = { naga, putri };
  const away = { state: 'down' as const, since: EVENING - 4 * HOUR, readAt: EVENING - 4 * HOUR };
  const known = { ...away, refreshedAt: EVENING - 5 * HOUR, ...status };
  return renderTestEdition(makeSnapshot([NAGA, PUTRI]), { expected }, { status: known, now: EVENING });
}

/** The part of a front page that shows a day. */
const dayOf = (page: string, id: string) =>
  page.slice(page.indexOf(`<section id="${id}"`)).split('</section>')[0]!;

describe('an unseen episode', () => {
  const { text, json } = render([UNSEEN, LATE]);

  test('is not late in the API, where it stands after the late ones', () => {
    expect(json('/api/anime/naga').data.next).toMatchObject({ episode: 4, late: false, unseen: true });
    expect(json('/api/anime/putri').data.next).toMatchObject({ late: true, unseen: false });
    const upcoming = json('/api/anime/upcoming').data;
    expect(upcoming).toMatchObject([
      { slug: 'putri', late: true, unseen: false },
      { slug: 'naga', late: false, unseen: true },
    ]);
    expect(json('/api/anime/releases').data).toMatchObject([
      { slug: 'putri', day: '2026-11-20', state: 'late' },
      { slug: 'naga', day: '2026-11-20', state: 'unseen', expectedAt: upcoming[1].expectedAt },
    ]);
  });

  test.each([
    [
      'id',
      'Mungkin sudah rilis: situs sumber belum bisa dicek',
      'Telat <span class="quiet">1</span>',
      'Belum ada kabar untuk hari ini',
    ],
    [
      'en',
      'May be out: the source is unreachable',
      'Late <span class="quiet">1</span>',
      'No news for today yet',
    ],
  ] as const)(
    'may be out by the front page, which counts it neither as late nor as not out (%s)',
    (language, ...said) => {
      const page = text(`/?lang=${language}`);
      for (const each of said) expect(dayOf(page, 'Today')).toContain(each);
      for (const each of NOTHING[language]) expect(dayOf(page, 'Today')).not.toContain(each);
      // Only what is late counts among what is to come today.
      expect(page).toContain('data-all="1"');
      expect(page).not.toContain('<ol id="Next"');
    },
  );

  test.each([
    ['id', 'Mungkin sudah rilis sejak', 'Situs sumber belum bisa dicek.'],
    ['en', 'May be out since', 'The source cannot be read right now.'],
  ])('may be out by its own page, without a countdown (%s)', (language, state, why) => {
    const page = text(`/anime/naga?lang=${language}`);
    expect(page).toContain(state);
    expect(page).toContain(why);
    expect(page).not.toContain('class="countdown');
  });

  test('stays at its hour in the calendar, which says so, and is in no feed', () => {
    const calendar = text('/feeds/schedule.ics?slug=naga');
    expect(calendar).toContain('DTSTART:20261120T120000Z');
    expect(calendar).toContain('DESCRIPTION:Mungkin sudah rilis\\, sumber belum bisa dicek.');
    expect(text('/feeds/schedule.ics?slug=putri')).not.toContain('DESCRIPTION');
    expect(text('/feeds/episodes.atom?slug=naga')).not.toContain('<entry>');
  });
});

describe('that nothing is out', () => {
  const said = (status: Partial<EditionState['status']>, next: ExpectedEpisode | null = null) => {
    const page = render([next, null], status).text('/?lang=id');
    const today = dayOf(page, 'Today');
    return {
      today: today.includes('Belum ada yang rilis hari ini'),
      nothing: today.includes('Tidak ada rilis.'),
      yesterday: dayOf(page, 'Day-2026-11-19').includes('Tidak ada rilis.'),
    };
  };
  const OK = { state: 'ok' as const, since: EVENING - DAY };

  test('is said where the source is read', () => {
    const all = { today: true, nothing: true, yesterday: true };
    expect(said({ ...OK, readAt: EVENING - 60_000 })).toEqual(all);
    // Peeks read page 1 well while crawls are refused.
    const changed = { state: 'changed' as const, since: EVENING - HOUR, readAt: EVENING - 60_000 };
    expect(said(changed)).toEqual(all);
  });

  test('is said of yesterday alone where the source went away today', () => {
    const away = { today: false, nothing: false, yesterday: true };
    expect(said({})).toEqual(away);
    expect(said({ ...OK, readAt: EVENING - 60_000 }, UNSEEN)).toEqual(away);
  });

  test('is not said a second time where there is no word on today', () => {
    const today = dayOf(render([null, null]).text('/?lang=id'), 'Today');
    expect(today).toContain('Belum ada kabar untuk hari ini');
    expect(today).not.toContain('Belum ada kabar.');
  });

  test('is said of no day where the last good reading shows an earlier one, whatever the state', () => {
    const none = { today: false, nothing: false, yesterday: false };
    for (const readAt of [null, EVENING - 22 * HOUR]) {
      expect(said({ readAt })).toEqual(none);
      expect(said({ ...OK, readAt })).toEqual(none);
    }
  });
});

test('what is out without a number says so on every page, and is not called not out', () => {
  const unnumbered = { naga: [{ date: '2026-11-20', at: EVENING - HOUR }] };
  const options = {
    status: { state: 'ok' as const, since: NOW, readAt: EVENING, refreshedAt: NOW },
    now: EVENING,
  };
  const { text, json } = renderTestEdition(makeSnapshot([NAGA]), { unnumbered }, options);
  expect(json('/api/anime/releases').data).toMatchObject([
    { slug: 'naga', episode: null, day: '2026-11-20', state: 'out', releasedAt: null },
    { slug: 'naga', episode: 4, day: '2026-11-27', state: 'expected' },
  ]);
  const today = dayOf(text('/?lang=id'), 'Today');
  expect(today).toContain('1 dari 1 sudah rilis');
  expect(today).toMatch(/Rilis <b class="hour"><time [^>]+>20\.00<\/time><\/b>/u);
  expect(today).toContain('<p class="episode">Nomor belum diketahui</p>');
  expect(today).not.toContain('Belum ada episode');
  expect(text('/anime/naga?lang=en')).toMatch(/<b>New, number not known yet<\/b> <span>.*20 Nov, 20:00/u);
});
