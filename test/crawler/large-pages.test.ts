import { expect, test } from 'vitest';
import { startCpuTimer } from '../support/cpu-time.ts';
import { makeAnime } from '../support/fake-source.ts';
import { openTestRefresh } from '../support/refresh.ts';

test('a crawl of the largest pages that a parser returns is merged and checked quickly', async () => {
  const { source, refresh, store } = await openTestRefresh(500);
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
  expect((await store.readSnapshot())?.ongoing).toHaveLength(20_000);
  expect(await store.readStatus()).toMatchObject({ omitted: 0, keptFromBefore: 1_000 });
});
