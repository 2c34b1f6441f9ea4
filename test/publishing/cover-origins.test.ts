import { expect, test } from 'vitest';
import { makeSnapshot, renderTestEdition } from '../support/edition.ts';
import { makeAnime } from '../support/fake-source.ts';

function render(images: string[]) {
  const ongoing = images.map((image, index) => ({ ...makeAnime(index), day: 'Jumat' as const, image }));
  const { document, text } = renderTestEdition(makeSnapshot(ongoing));
  const { headers } = document('/?lang=id');
  const policy = headers[headers.indexOf('Content-Security-Policy') + 1] ?? '';
  const covers = text('/?lang=id').matchAll(/<img src="(http[^"]+)"/gu);
  return { policy, covers: [...covers].map(([, src]) => src) };
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
