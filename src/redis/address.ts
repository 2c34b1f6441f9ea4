/** The parts of a `redis://` or `rediss://` URL. */
interface RedisAddress {
  /** The URL for the client: scheme, user, password, host, port and database number. */
  url: string;
  /** The URL for logs, without credentials. */
  place: string;
  /** The prefix of every key, with its colon. */
  prefix: string;
}

const OPTIONS = ['prefix'];

/** `redis://[user:password@]host[:port][/database][?prefix=tayang]`. Throws an Error that says what the URL must be. */
export function parseRedisUrl(text: string): RedisAddress {
  const url = URL.parse(text);
  if (!url?.hostname || !/^(?:\/\d*)?$/u.test(url.pathname))
    throw new Error(
      'must be like redis://127.0.0.1:6379, with or without a user, a password and a /database',
    );
  const unknown = [...url.searchParams.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new Error(`has no option ${unknown}; there is ${OPTIONS.join(', ')}`);
  const prefix = url.searchParams.get('prefix') ?? 'tayang';
  // Other characters have a meaning in the patterns by which Redis finds keys.
  if (!/^[\w.:-]{1,64}$/u.test(prefix))
    throw new Error('must have a prefix of letters, digits, and - _ . : only');
  url.search = '';
  return { url: url.href, place: `${url.protocol}//${url.host}${url.pathname}`, prefix: `${prefix}:` };
}
