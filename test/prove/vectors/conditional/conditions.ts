import { type ConditionalCase, DEFAULT_SIZE, type Validators } from './conditional-case.ts';

const SKIPS =
  'it stops at what is no tag; here the rest of the list is compared, and the answer is the same for every valid list';

const RANGE = { Range: 'bytes=0-4' };
const PART = [0, 4] as const;

/** `Last-Modified`, moved by some seconds. */
const date = ({ changedAt }: Validators, seconds = 0) => new Date(changedAt + seconds * 1_000).toUTCString();

/** The two older forms of an HTTP date. */
function oldDates({ changedAt }: Validators) {
  const [day = '', month = '', year = '', time = ''] = new Date(changedAt)
    .toUTCString()
    .slice(5, 25)
    .split(' ');
  const weekday = new Date(changedAt).getUTCDay();
  const long = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'][weekday] ?? '';
  return {
    rfc850: `${long}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
    asctime: `${long.slice(0, 3)} ${month} ${day.replace(/^0/u, ' ')} ${time} ${year}`,
  };
}

const otherCase = (etag: string) =>
  etag.replace(/[a-z]/giu, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));

type Row = [
  name: string,
  headers: ConditionalCase['headers'],
  file: ConditionalCase['file'],
  document?: number,
  differs?: string,
];

const ROWS: Row[] = [
  ['no condition', () => ({}), 200],
  ['If-Modified-Since: the date', (now) => ({ 'If-Modified-Since': date(now) }), 304],
  ['If-Modified-Since: an hour before', (now) => ({ 'If-Modified-Since': date(now, -3_600) }), 200],
  ['If-Modified-Since: a second before', (now) => ({ 'If-Modified-Since': date(now, -1) }), 200],
  ['If-Modified-Since: a second after', (now) => ({ 'If-Modified-Since': date(now, 1) }), 304],
  [
    'If-Modified-Since: the date as in RFC 850',
    (now) => ({ 'If-Modified-Since': oldDates(now).rfc850 }),
    304,
  ],
  [
    'If-Modified-Since: the date as of asctime',
    (now) => ({ 'If-Modified-Since': oldDates(now).asctime }),
    304,
  ],
  ['If-Modified-Since: no date', () => ({ 'If-Modified-Since': 'kemarin' }), 200],
  ['If-None-Match: the tag', ({ etag }) => ({ 'If-None-Match': etag }), 304],
  [
    'If-None-Match: another tag, and the tag as weak',
    ({ etag }) => ({ 'If-None-Match': `"baz", W/${etag}` }),
    304,
  ],
  ['If-None-Match: the tag in another case', ({ etag }) => ({ 'If-None-Match': otherCase(etag) }), 200],
  ['If-None-Match: a comma', () => ({ 'If-None-Match': ',' }), 200],
  ['If-None-Match: any', () => ({ 'If-None-Match': '*' }), 304],
  ['If-None-Match: the tag without quotes', ({ etag }) => ({ 'If-None-Match': etag.slice(1, -1) }), 200],
  ['If-None-Match: W/ alone', () => ({ 'If-None-Match': 'W/' }), 200],
  [
    'If-None-Match: a tag without its last quote',
    ({ etag }) => ({ 'If-None-Match': `W/${etag.slice(0, -1)}` }),
    200,
  ],
  ['If-None-Match: w/ in lower case', ({ etag }) => ({ 'If-None-Match': `w/${etag}` }), 200],
  [
    'If-None-Match: a tag with a space, and the tag',
    ({ etag }) => ({ 'If-None-Match': `"spaced etag", ${etag}` }),
    304,
    304,
    SKIPS,
  ],
  [
    'If-None-Match: the tag, and a tag with a space',
    ({ etag }) => ({ 'If-None-Match': `${etag}, "spaced etag"` }),
    304,
  ],
  ['If-Match: another tag, and the tag', ({ etag }) => ({ 'If-Match': `"Z", ${etag}` }), 200],
  ['If-Match: any', () => ({ 'If-Match': '*' }), 200],
  ['If-Match: another tag', () => ({ 'If-Match': '"B"' }), 412],
  ['If-Match: the tag as weak', ({ etag }) => ({ 'If-Match': `W/${etag}` }), 412],
  ['If-Unmodified-Since: the date', (now) => ({ 'If-Unmodified-Since': date(now) }), 200],
  ['If-Unmodified-Since: two seconds before', (now) => ({ 'If-Unmodified-Since': date(now, -2) }), 412],
  ['If-Unmodified-Since: no date', () => ({ 'If-Unmodified-Since': 'kemarin' }), 200],
  ['If-Range: the tag', ({ etag }) => ({ ...RANGE, 'If-Range': etag }), PART, 200],
  ['If-Range: the tag as weak', ({ etag }) => ({ ...RANGE, 'If-Range': `W/${etag}` }), 200],
  ['If-Range: another tag', () => ({ ...RANGE, 'If-Range': '"B"' }), 200],
  ['If-Range: the date', (now) => ({ ...RANGE, 'If-Range': date(now) }), PART, 200],
  ['If-Range: a second after', (now) => ({ ...RANGE, 'If-Range': date(now, 1) }), 200],
  ['If-Range: a second before', (now) => ({ ...RANGE, 'If-Range': date(now, -1) }), 200],
  ['If-Range: no date', () => ({ ...RANGE, 'If-Range': 'kemarin' }), 200],
  [
    'If-Range: another tag, and a range behind the end',
    () => ({ Range: 'bytes=100-', 'If-Range': '"B"' }),
    200,
  ],
  [
    'If-Match goes before If-Unmodified-Since',
    (now) => ({ 'If-Match': now.etag, 'If-Unmodified-Since': date(now, -2) }),
    200,
  ],
  ['If-Match goes before If-None-Match', ({ etag }) => ({ 'If-Match': '"B"', 'If-None-Match': etag }), 412],
  ['If-None-Match follows If-Match', ({ etag }) => ({ 'If-Match': etag, 'If-None-Match': etag }), 304],
  [
    'If-Modified-Since follows If-Match',
    (now) => ({ 'If-Match': now.etag, 'If-Modified-Since': date(now) }),
    304,
  ],
  [
    'If-Unmodified-Since goes before If-None-Match',
    (now) => ({ 'If-Unmodified-Since': date(now, -2), 'If-None-Match': now.etag }),
    412,
  ],
  [
    'If-None-Match follows If-Unmodified-Since',
    (now) => ({ 'If-Unmodified-Since': date(now), 'If-None-Match': now.etag }),
    304,
  ],
  [
    'If-None-Match goes before If-Modified-Since',
    (now) => ({ 'If-None-Match': '"B"', 'If-Modified-Since': date(now) }),
    200,
  ],
  ['If-None-Match goes before Range', ({ etag }) => ({ ...RANGE, 'If-None-Match': etag }), 304],
  ['If-Modified-Since goes before Range', (now) => ({ ...RANGE, 'If-Modified-Since': date(now) }), 304],
  ['If-Match goes before Range', () => ({ ...RANGE, 'If-Match': '"B"' }), 412],
  ['Range follows If-Match', ({ etag }) => ({ ...RANGE, 'If-Match': etag }), PART, 200],
  ['Range follows If-Unmodified-Since', (now) => ({ ...RANGE, 'If-Unmodified-Since': date(now) }), PART, 200],
  ['Range follows If-None-Match', () => ({ ...RANGE, 'If-None-Match': '"B"' }), PART, 200],
  [
    'If-Range follows If-None-Match',
    ({ etag }) => ({ ...RANGE, 'If-None-Match': etag, 'If-Range': '"B"' }),
    304,
  ],
];

/** After Go's TestServeContent and TestScanETag, and the order of RFC 9110, 13.2.2, in all pairs. */
export const CONDITIONS: ConditionalCase[] = ROWS.map(([name, headers, file, document, differs]) => ({
  name,
  headers,
  file,
  size: DEFAULT_SIZE,
  document: document ?? (typeof file === 'number' ? file : 200),
  ...(differs ? { differs } : {}),
}));
