import { expect, test } from 'vitest';
import { redactSetting, redactText } from '../../src/domain/setting-url.ts';

test.each([
  ['redis://user:a/b@c@host:6379/0', 'redis://***@host:6379/0'],
  ['https://one.example,https://u:p@two.example', 'https://one.example,https://***@two.example'],
  ['https://a:1@one.example, https://b:2@two.example', 'https://***@one.example, https://***@two.example'],
  ['user:secret@host', 'user:***@host'],
  ['https://one.example/a,b', 'https://one.example/a,b'],
  ['sqlite:/srv/data/cache.sqlite', 'sqlite:/srv/data/cache.sqlite'],
  ['@daily', '@daily'],
  ['me@example.org', 'me@example.org'],
  ['x', 'x'],
])('%s is shown as %s', (value, shown) => {
  expect(redactSetting(value)).toBe(shown);
});

test('secrets in the URLs of a text are removed', () => {
  expect(redactText('no answer from redis://u:a/b@c@host:1 (connect), nor from https://x.example')).toBe(
    'no answer from redis://***@host:1 (connect), nor from https://x.example',
  );
});
