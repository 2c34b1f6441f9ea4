import { describe, expect, test } from 'vitest';
import { startCpuTimer } from '../support/cpu-time.ts';
import { type FakeSource, makeAnime } from '../support/fake-source.ts';
import { openTestRefresh, PEEK_MS } from '../support/refresh.ts';

test('a crawl of the largest pages that a parser returns is merged and checked quickly', async () => {
  const { source, refresh, store } = await openTestRefresh(50);
  const card = (page: number, index: number) => ({
    ...makeAnime(page * 1_000 + index),
    day: 'Senin' as const,
  });
  source.alterOngoing = (page) => ({
    ...page,
    cards: Array.from({ length: 1_000 }, (_, index) => card(page.number, index)),
    linked: Array.from({ length: 10_000 }, (_, index) => `lain-${page.number}-${index}`),
  });
  source.alterSchedule = ({ linked }) => ({
    linked,
    groups: Array.from({ length: 100 }, (_, group) => ({
      day: 'Senin' as const,
      cards: Array.from({ length: 10 }, (_, index) => card(1, group * 10 + index)),
    })),
  });
  const cpuMs = startCpuTimer();
  await refresh(true);
  source.alterSchedule = ({ linked }) => ({
    linked,
    groups: [
      {
        day: null,
        cards: Array.from({ length: 1_000 }, (_, index) => ({
          card: index + 1,
          slug: card(1, index).slug,
          faults: [{ field: 'day', found: 'Lusa' }],
        })),
      },
    ],
  });
  await refresh(true);
  expect(cpuMs()).toBeLessThan(10_000);
  expect((await store.readSnapshot())?.ongoing).toHaveLength(2_000);
  expect(await store.readStatus()).toMatchObject({ omitted: 0, keptFromBefore: 1_000 });
});

describe('a list with more anime than an edition can show', () => {
  /** Two pages of `size` anime each, and a schedule of the first ones. */
  function serve(source: FakeSource, size: number): void {
    const card = (page: number, index: number) => ({
      ...makeAnime(page * 2_000 + index),
      day: 'Senin' as const,
    });
    source.alterOngoing = (page) => ({
      ...page,
      cards: Array.from({ length: size }, (_, index) => card(page.number, index)),
    });
    source.alterSchedule = ({ linked }) => ({
      linked,
      groups: [{ day: 'Senin', cards: Array.from({ length: 20 }, (_, index) => card(1, index)) }],
    });
  }

  test('is refused by a crawl, also by force', async () => {
    const { source, refresh, store } = await openTestRefresh(50);
    serve(source, 1_251);
    const tooMany = 'the source lists 2502 anime, more than the 2500 that are plausible';
    await expect(refresh()).rejects.toThrow(tooMany);
    await expect(refresh(true)).rejects.toThrow(tooMany);
    expect(await store.readSnapshot()).toBeUndefined();
  });

  test('is refused by a peek', async () => {
    const { source, refresh, peek, clock, slugs } = await openTestRefresh(50);
    serve(source, 1_250);
    await refresh();
    serve(source, 1_251);
    clock.now += PEEK_MS;
    await expect(peek()).rejects.toThrow('more than the 2500 that are plausible');
    expect(await slugs()).toHaveLength(2_500);
  });
});
