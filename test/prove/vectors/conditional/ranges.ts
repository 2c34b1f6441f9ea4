import { type ConditionalCase, DEFAULT_SIZE } from './conditional-case.ts';

const MALFORMED =
  'it answers 416; RFC 9110, 14.2, lets a server ignore what is no range, and the client gets the whole file';
const SEVERAL =
  'it answers 206 with multipart/byteranges; RFC 9110, 14.2, lets a server ignore Range, and the client gets the whole file';
const EMPTY = 'it ignores a range of an empty file; here it is 416, as for every range behind the end';
const SUFFIX_OF_0 =
  'it answers 206 without a byte; RFC 9110, 14.1.2, has a suffix of no bytes as unsatisfiable';

type Range = ConditionalCase['file'];

/** A document is never sent in part: it is small, and compressed. */
function row(range: string, size: number, file: Range, differs?: string): ConditionalCase {
  const headers = () => ({ Range: range });
  return { name: `${range} of ${size}`, size, headers, file, document: 200, ...(differs ? { differs } : {}) };
}

const good = ([range, file, size = DEFAULT_SIZE]: [string, Range, number?]) => row(range, size, file);
const ignored = (reason?: string) => (range: string) => row(range, 10, 200, reason);

/** After the tables of Go's net/http: ParseRangeTests, ServeFileRangeTests and those of suffixes and empty files. */
export const RANGES: ConditionalCase[] = [
  ...(
    [
      ['bytes=0-4', [0, 4]],
      ['bytes=2-', [2, 10]],
      ['bytes=-5', [6, 10]],
      ['bytes=3-7', [3, 7]],
      ['bytes=5-1000', [5, 10]],
      ['bytes=0-9', [0, 9]],
      ['bytes=0-10', [0, 10]],
      ['bytes=0-11', [0, 10]],
      ['bytes=10-11', [10, 10]],
      ['bytes=10-', [10, 10]],
      ['bytes=11-', 416],
      ['bytes=11-12', 416],
      ['bytes=12-12', 416],
      ['bytes=11-100', 416],
      ['bytes=12-100', 416],
      ['bytes=100-', 416],
      ['bytes=100-1000', 416],
      ['bytes=0-9', [0, 9], 10],
      ['bytes=0-', [0, 9], 10],
      ['bytes=5-', [5, 9], 10],
      ['bytes=0-20', [0, 9], 10],
      ['bytes=-5', [5, 9], 10],
      ['bytes=-15', [0, 9], 10],
      ['bytes=0-499', [0, 499], 10_000],
      ['bytes=500-999', [500, 999], 10_000],
      ['bytes=-500', [9_500, 9_999], 10_000],
      ['bytes=9500-', [9_500, 9_999], 10_000],
      ['bytes=-6', [15, 20], 21],
      ['bytes=6-', [6, 20], 21],
    ] satisfies [string, Range, number?][]
  ).map(good),
  ...['bytes=', 'bytes=         ', 'bytes= , , ,   ', 'bytes=0-,1-,2-,3-,4-'].map(ignored()),
  ...[
    ...['foo', 'bytes=7', 'bytes= 7 ', 'bytes=5-4', 'bytes=0-2,5-4', 'bytes=2-5,4-3', 'bytes=--5,4--3'],
    ...['bytes=A-', 'bytes=A- ', 'bytes=A-Z', 'bytes= -Z', 'bytes=5-Z', 'bytes=Ran-dom, garbage'],
    ...['bytes=0x01-0x02', 'bytes=--6', 'bytes=--0', 'bytes=---0', 'bytes=-6-'],
  ].map(ignored(MALFORMED)),
  ...[
    ...['bytes=0-0,-2', 'bytes=0-1,5-8', 'bytes=0-1,5-', 'bytes=15-,0-5', 'bytes=1-2,5-', 'bytes=-2 , 7-'],
    ...['bytes=0-0 ,2-2, 7-', 'bytes=0-0,-1', 'bytes=500-600,601-999', 'bytes=500-700,601-999'],
    'bytes=   1 -2   ,  4- 5, 7 - 8 , ,,',
  ].map(ignored(SEVERAL)),
  row('bytes=-0', DEFAULT_SIZE, 416, SUFFIX_OF_0),
  ...['bytes=1-', 'bytes=0-128'].map((range) => row(range, 0, 416, EMPTY)),
];
