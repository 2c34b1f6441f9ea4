import { expect, test } from 'vitest';
import { DAYS, type OngoingAnime, type Snapshot } from '../../src/domain/listing.ts';
import { chooseCoverOrigins } from '../../src/publishing/cover-origins.ts';
import { renderEdition } from '../../src/publishing/edition.ts';

const NOW = Date.UTC(2026, 10, 20);

function anime(image: string, index: number): OngoingAnime {
  return { title: `Naga ${index}`, episode: 1, day: 'Jumat', date: '6 Des', image, slug: `naga-${index}` };
}

function render(images: string[]) {
  const ongoing = images.map(anime);
  const schedule = DAYS.map((day) => ({ day, animeList: day === 'Jumat' ? ongoing : [] }));
  const snapshot: Snapshot = {
    schedule,
    ongoing,
    epoch: 'e1',
    lastEvent: 0,
    scheduleChangedAt: NOW,
    ongoingChangedAt: NOW,
  };
  const status = { state: 'ok' as const, since: NOW, refreshedAt: NOW };
  const state = {
    timeZone: 'Asia/Jakarta',
    url: 'https://tayang.example',
    sourceUrl: 'https://source.example',
    status,
    now: NOW,
  };
  const id = renderEdition({ snapshot, events: [], history: {}, expected: {} }, state).documents.get(
    '/?lang=id',
  )!;
  const policy = id.headers[id.headers.indexOf('Content-Security-Policy') + 1] ?? '';
  const html = String(id.identity.bytes);
  return { policy, covers: [...html.matchAll(/<img src="(http[^"]+)"/gu)].map(([, src]) => src) };
}

test.each([
  'https://x;sandbox/a.jpg',
  "https://x'unsafe-inline'/a.jpg",
  'https://*/a.jpg',
  'https://*.example/a.jpg',
  'https://x,default-src/a.jpg',
  'https://[::1]/a.jpg',
  `https://${'x'.repeat(300)}.example/a.jpg`,
  'data:image/png;base64,AA==',
  'javascript:alert(1)',
  'no address',
])('a host that a policy cannot name is left out of it, and its cover is not shown: %s', (image) => {
  const good = 'https://cdn.example:8443/b.jpg';
  const { policy, covers } = render([image, good]);
  const sources = /img-src ([^;]+)/u.exec(policy)?.[1];
  expect(sources).toBe("'self' data: https://cdn.example:8443");
  expect(policy.split('; ')).toHaveLength(10);
  expect(new Set(covers)).toEqual(new Set([good]));
});

test('only the most frequent hosts of many are in the policy, and other covers are not shown', async () => {
  const rare = Array.from({ length: 149 }, (_, index) => `https://host-${index}.example/a.jpg`);
  const common = ['https://z.example/1.jpg', 'https://z.example/2.jpg', 'https://y.example/1.jpg'];
  const { policy, covers } = render([...rare, ...common, 'https://y.example/2.jpg']);
  expect(policy).toContain('https://y.example https://z.example');
  expect(policy.match(/https:/gu)).toHaveLength(4);
  expect(policy.length).toBeLessThan(600);
  expect(new Set(covers).size).toBe(6);
});

test('the policy does not depend on the order of the covers', () => {
  const images = ['https://b.example/1', 'https://a.example/1', 'https://b.example/2'];
  const origins = ['https://a.example', 'https://b.example'];
  expect(chooseCoverOrigins(images.map(anime))).toEqual(origins);
  expect(chooseCoverOrigins(images.toReversed().map(anime))).toEqual(origins);
});
