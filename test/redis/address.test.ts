import { describe, expect, test } from 'vitest';
import { parseRedisUrl } from '../../src/redis/address.ts';

describe('the address of a Redis', () => {
  test.each([
    ['redis://127.0.0.1', 'redis://127.0.0.1'],
    ['redis://cache.example:6380/2', 'redis://cache.example:6380/2'],
    ['rediss://[::1]:6379/', 'rediss://[::1]:6379/'],
  ])('%s is unchanged, and its keys begin with tayang:', (text, url) => {
    expect(parseRedisUrl(text)).toEqual({ url, place: url, prefix: 'tayang:' });
  });

  test('hides its password in logs, not from the client', () => {
    expect(parseRedisUrl('rediss://user:secret@cache.example/1')).toMatchObject({
      url: 'rediss://user:secret@cache.example/1',
      place: 'rediss://cache.example/1',
    });
  });

  test('may set another prefix', () => {
    expect(parseRedisUrl('redis://127.0.0.1?prefix=anime.example')).toEqual({
      url: 'redis://127.0.0.1',
      place: 'redis://127.0.0.1',
      prefix: 'anime.example:',
    });
  });

  test.each([
    'redis:',
    'redis://',
    'redis:///1',
    'redis:cache.example',
    'redis://host/name',
    'redis://host/1/2',
    'redis://host:port',
    'redis://host?prefix=',
    'redis://host?prefix=*',
    'redis://host?prefix=a b',
    `redis://host?prefix=${'x'.repeat(65)}`,
  ])('%s is invalid, and the error says what it must be', (text) => {
    expect(() => parseRedisUrl(text)).toThrow(/^must /u);
  });

  test('the error for an unknown option names the known ones', () => {
    expect(() => parseRedisUrl('redis://host?perfix=x')).toThrow('has no option perfix; there is prefix');
  });
});
