import { describe, expect, test } from 'vitest';
import { parseImageUrl, parsePageNumber, parseSlug } from '../../src/source/address.ts';

const PAGE_URL = 'https://otakudesu.example/ongoing-anime/page/2/';

describe('the address of a cover', () => {
  test.each([
    ['https://otakudesu.example/2½-@2x..jpg', 'https://otakudesu.example/2½-@2x..jpg'],
    ['//cdn.example/a.jpg', 'https://cdn.example/a.jpg'],
    ['/wp-content/a.jpg', 'https://otakudesu.example/wp-content/a.jpg'],
    ['HTTPS://CDN.example/A.jpg', 'https://cdn.example/A.jpg'],
    ['https://münchen.example/a.jpg', 'https://xn--mnchen-3ya.example/a.jpg'],
    ['http://127.0.0.1:8080/a.jpg', 'http://127.0.0.1:8080/a.jpg'],
    ['https:\\\\cdn.example\\a.jpg', 'https://cdn.example/a.jpg'],
    ['https:cdn.jpg', 'https://otakudesu.example/ongoing-anime/page/2/cdn.jpg'],
  ])('%s is read as %s', (src, address) => {
    expect(parseImageUrl({ src }, PAGE_URL)).toBe(address);
  });

  test.each([
    ...['https://x;sandbox/a.jpg', "https://x'unsafe-inline'/a.jpg", 'https://*/a.jpg', 'https://*.x/a.jpg'],
    ...['https://x,y/a.jpg', 'https://x!$&()=/a.jpg', `https://${'x'.repeat(300)}/a.jpg`],
    ...['https://user:secret@x.example/a.jpg', 'https://user@x.example/a.jpg', 'https://@:@x/a.jpg;@'],
    ...['https://x.example/a b.jpg', 'https://x.example/a\tb.jpg', 'https://x.example/a\nb.jpg'],
    ...['https://x.example/\u202egpj.a', 'https://x.example/\u200ba.jpg', 'https://x.example/\u001b[31m.jpg'],
    ...[
      'javascript:alert(1)//a.jpg',
      'java\nscript:alert(1)',
      'data:image/png;base64,AA==',
      'blob:https://x/1',
    ],
    ...['ftp://x.example/a.jpg', 'file:///etc/passwd', '', ' ', 'https://', `https://x/${'a'.repeat(3_000)}`],
  ])('%j is unreadable', (src) => {
    expect(parseImageUrl({ src }, PAGE_URL)).toBeUndefined();
  });

  test('is read from the next attribute when the first has none', () => {
    const attributes = { 'data-src': 'https://x;y/a.jpg', src: 'https://x.example/b.jpg' };
    expect(parseImageUrl(attributes, PAGE_URL)).toBe('https://x.example/b.jpg');
  });
});

test('a slug has a limited length', () => {
  expect(parseSlug(`/anime/${'a'.repeat(200)}/`, PAGE_URL)).toBe('a'.repeat(200));
  expect(parseSlug(`/anime/${'a'.repeat(300)}/`, PAGE_URL)).toBeUndefined();
});

test.each(['ja\0lan', 'ja%00lan', 'ja\u001blan', 'ja%7Flan'])(
  '%j is no slug: it has a control character',
  (slug) => {
    expect(parseSlug(`/anime/${slug}/`, PAGE_URL)).toBeUndefined();
  },
);

describe('the number of a page', () => {
  test.each([
    ['https://otakudesu.example/ongoing-anime/page/9/', 9],
    ['https://new-host.example/ongoing-anime/page/9/', 9],
    ['/ongoing-anime/page/9', 9],
    ['/ongoing-anime/page/9/?utm=x#top', 9],
    ['../3/', 3],
  ])('%s is a page of the list', (href, number) => {
    expect(parsePageNumber(href, PAGE_URL)).toBe(number);
    expect(parsePageNumber(href, PAGE_URL.replace('page/2/', 'page/7/'))).toBe(number);
  });

  test.each([
    ...['/complete-anime/page/9/', '/genres/ongoing-anime/page/9/', '/page/9/', '/ongoing-anime/'],
    ...['/ongoing-anime/page/9/feed/', '/ongoing-anime/page/x/', '/anime/page/9/', undefined, ''],
    ...['/search?next=/ongoing-anime/page/9/', `/ongoing-anime/page/${'9'.repeat(400)}/`],
  ])('%s is not a page of the list', (href) => {
    expect(parsePageNumber(href, PAGE_URL)).toBeUndefined();
  });
});
