import { BEGINS_WITH_BOUNDARY, EPILOGUE, NEEDS_A_FILE, NOT_DECODED } from './differences.ts';
import {
  BOUNDARY,
  body,
  concat,
  DISPOSITION,
  field,
  file,
  fileNamed,
  part,
  refuses,
  stores,
} from './multipart-case.ts';

const withBoundary = (boundary: string) => ({
  bytes: body(file()).toString().replaceAll(BOUNDARY, boundary),
  contentType: `multipart/form-data; boundary=${boundary}`,
});
const almost = BOUNDARY.slice(0, -1);
const ALMOST = `--${almost}R\r\n--${almost}\r--${BOUNDARY}\n--${BOUNDARY}--\r\r--${BOUNDARY}\r\n-${BOUNDARY}--\r\n--lain--\r\n--${almost}`;
const CRLFS = `${'\r\n'.repeat(60)}--${almost}\r\n\r\r\n\n\r\n--${almost.slice(0, 2)}\r\n`;
const headed = (header: string) => body(part([header]));
const LONG_BOUNDARY = withBoundary('b'.repeat(256));
const count = (length: number) => Array.from({ length }, () => 'X-A: 1');

/** After the test data and tests of python-multipart. */
export const PYTHON_MULTIPART = [
  stores('lines that are almost the delimiter', body(file(ALMOST)), { content: ALMOST }),
  stores('a delimiter without its CR', body(file(`a\n--${BOUNDARY}--\r\nb`)), {
    content: `a\n--${BOUNDARY}--\r\nb`,
  }),
  stores('a delimiter without its LF', body(file(`a\r--${BOUNDARY}--\r\nb`)), {
    content: `a\r--${BOUNDARY}--\r\nb`,
  }),
  refuses('a closing delimiter without its last hyphen', body(file(`a\r\n--${BOUNDARY}-\r\nb`)), {
    differs: BEGINS_WITH_BOUNDARY,
  }),
  stores('many line ends in the file', body(file(CRLFS)), { content: CRLFS }),
  refuses(
    'a CR in place of the blank line',
    concat(`--${BOUNDARY}\r\n${DISPOSITION}\r\n\rx\r\n--${BOUNDARY}--\r\n`),
  ),
  refuses(
    'other characters in the name of a header',
    headed('Content-<<<position: form-data; name="file"; filename="a.txt"'),
  ),
  refuses(
    'a CR in the name of a header',
    headed('Content-\rDisposition: form-data; name="file"; filename="a.txt"'),
  ),
  refuses(
    'a CR in the value of a header',
    headed('Content-Disposition: form-\rdata; name="file"; filename="a.txt"'),
  ),
  refuses(
    'a line end in the name of a header',
    headed('Content-\r\nDisposition: form-data; name="file"; filename="a.txt"'),
  ),
  refuses(
    'a line end in the value of a header',
    headed('Content-Disposition: form-\r\ndata; name="file"; filename="a.txt"'),
  ),
  refuses('a header without a name', headed(': kosong')),
  refuses('another boundary in the body', body(file()).toString().replace(BOUNDARY, 'Vk7dX')),
  refuses(
    'the boundary in another case',
    body(file()).toString().replaceAll(BOUNDARY, BOUNDARY.toLowerCase()),
  ),
  refuses('a CR and text after the boundary', `--${BOUNDARY}\rfoobar`),
  refuses('text after the boundary', `--${BOUNDARY}foobar`),
  refuses('a closing delimiter alone', body(), { differs: NEEDS_A_FILE }),
  refuses('a closing delimiter alone that ends wrongly', `--${BOUNDARY}-X\r\n`),
  refuses('a delimiter alone', `--${BOUNDARY}\r\n`),
  stores('base64', body(file('VGVzdCAxMjM=', 'Content-Transfer-Encoding: base64')), {
    content: 'VGVzdCAxMjM=',
    differs: NOT_DECODED,
  }),
  stores('quoted-printable', body(file('foo=3Dbar', 'Content-Transfer-Encoding: quoted-printable')), {
    content: 'foo=3Dbar',
    differs: NOT_DECODED,
  }),
  stores('an unknown transfer encoding', body(file('tayang', 'Content-Transfer-Encoding: entah'))),
  stores(
    'header names in mixed case',
    headed('cOnTenT-DiSpOsiTiOn: form-data; name="file"; filename="a.txt"'),
  ),
  stores('a digit in the name of a header', body(file('tayang', 'X-Versi-2: x', 'a1-b2: y'))),
  stores(
    'header lines before the first delimiter',
    concat('MIME-Version: 1.0\r\nContent-Type: multipart/form-data; boundary="x"\r\n\r\n', body(file())),
  ),
  stores('line ends before the first delimiter', concat('\r\n\r\n\r\n', body(file()))),
  stores('a line and line ends before the first delimiter', concat('abaikan\r\n\r\n\r\n', body(file()))),
  stores('a million line ends before the first delimiter', concat('\r\n'.repeat(1_000_000), body(file()))),
  stores('text after the closing delimiter', concat(body(file()), 'ekor')),
  refuses(
    'a delimiter after the closing one',
    concat(body(file()), `--${BOUNDARY}\r\nini bukan header\r\n\r\nbukan bagian`),
    { differs: EPILOGUE },
  ),
  refuses(
    'many hyphens after the closing delimiter',
    concat(file(), `--${BOUNDARY}--`, '-'.repeat(100_000), '\r\n'),
    { differs: BEGINS_WITH_BOUNDARY },
  ),
  stores('a name in UTF-8', body(fileNamed('filename="???.txt"').toString().replace('???', 'ваш')), {
    as: 'ваш.txt',
  }),
  stores('nine header lines', body(file('tayang', ...count(8))), {
    differs: 'it reads at most eight header lines of a part; here the limit is 16 KB',
  }),
  stores('a header line of 4.2 KB', body(file('tayang', `X-A: ${'a'.repeat(4_220)}`)), {
    differs: 'it reads at most 4 KB of headers; here the limit is 16 KB',
  }),
  refuses('a disposition without a field', headed('Content-Disposition: form-data;')),
  refuses('a boundary of 256 characters', LONG_BOUNDARY.bytes, {
    contentType: LONG_BOUNDARY.contentType,
    differs: 'it takes 256 characters; RFC 2046 allows 70',
  }),
  refuses('a boundary of 257 characters', body(file()), {
    contentType: withBoundary('b'.repeat(257)).contentType,
  }),
  refuses('no boundary', body(file()), { contentType: 'multipart/form-data' }),
  stores('both forms of a name', body(fileNamed(`filename="polos.txt"; filename*=utf-8''sandi.txt`)), {
    as: 'sandi.txt',
    differs: 'it ignores `filename*`, which RFC 7578 forbids; clients send it all the same',
  }),
  stores('the form of a name with an encoding alone', body(fileNamed("filename*=utf-8''sandi%20x.txt")), {
    as: 'sandi x.txt',
    differs: 'it ignores `filename*`, which RFC 7578 forbids; clients send it all the same',
  }),
  refuses('a name in continuations', body(fileNamed('filename*0="a"; filename*1="b.txt"'))),
  stores('a path of Windows', body(fileNamed('filename="C:\\ini\\satu\\jalan\\file.txt"')), {
    as: 'file.txt',
  }),
  stores(
    'semicolons and escaped quotes in parameters',
    body(
      part([
        String.raw`Content-Disposition: form-data; a="x;y"; b="esc \" quote"; name="file"; filename="a.txt"`,
      ]),
    ),
  ),
  stores(
    'an escaped backslash in a parameter',
    body(part([String.raw`Content-Disposition: form-data; q="a\\b"; name="file"; filename="a.txt"`])),
  ),
  refuses(
    'a thousand backslashes after an open quote',
    headed(`Content-Disposition: form-data; !="${'\\'.repeat(1_000)}`),
  ),
  stores('two values and the file', body(field('satu', 'x'.repeat(40)), field('dua'), file())),
  refuses('another type', 'foo=bar', {
    status: 415,
    contentType: 'application/x-www-form-urlencoded',
    differs: 'it reads such forms too; here only multipart/form-data can hold a file',
  }),
];
