import {
  AFTER_HEADER,
  BEGINS_WITH_BOUNDARY,
  IN_FIELD_FILE,
  LINE_FEEDS,
  NEEDS_A_FILE,
  NO_CLOSING,
  NOT_DECODED,
} from './differences.ts';
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

/** The buffer in which Go's reader searches; a delimiter across its end was missed once. */
const PEEK_BYTES = 4096;
const LONG_LINE = '\r\n\n\r\r\0\n\r'.repeat(16 * 1024);
const head = `--${BOUNDARY}\r\n${DISPOSITION}\r\n\r\n`;
const padded = (padding: string) =>
  concat(`--${BOUNDARY}${padding}\r\n${DISPOSITION}\r\n\r\ntayang\r\n--${BOUNDARY}--\r\n`);
const disposed = (disposition: string) => body(part([`Content-Disposition:${disposition}`]));
const TEXTS = [
  'a\nb',
  'a\nb\n',
  'a\r\nb',
  'a\r\nb\r\n',
  'a\rb',
  'a\rb\r',
  '\0\x01\x02\t\n\v\f\r\x0e\x0f\x10',
  '',
  '\n',
  '\r',
  '\r\n',
];
const SIZES = [0, 1, 2, 60, 65, 66, 67, 70, 71, 72].map((less) => PEEK_BYTES - less);

/** After the tables of Go's mime/multipart. */
export const GO = [
  stores('a space after the boundary', padded(' ')),
  stores('a tab and spaces after the boundary', padded(' \t ')),
  refuses('another word after the boundary', padded(' palsu')),
  refuses('another word and hyphens after the boundary', padded(' palsu--')),
  refuses('a space and a line feed after the boundary', padded(' ').toString().replace(' \r\n', ' \n'), {
    differs: LINE_FEEDS,
  }),
  ...[
    ' form-data; name="file"',
    ' form-data ; name=file',
    'FORM-DATA;name="file"',
    ' FORM-DATA ; name=file',
  ].map((start) => stores(`the disposition "${start}"`, disposed(`${start}; filename="a.txt"`))),
  stores('other parameters around the names', disposed(' FORM-DATA ; filename="a.txt"; name=file; baz=quux')),
  refuses('another disposition', disposed(' bukan-form-data ; filename="a.txt"; name=file; baz=quux')),
  stores('line ends everywhere in 128 KB', body(file(LONG_LINE)), { content: LONG_LINE }),
  refuses('line feeds instead of line ends', body(file()).toString().replaceAll('\r\n', '\n'), {
    differs: LINE_FEEDS,
  }),
  stores('text after the closing delimiter', concat(body(file()), '\r\n\r\nekor yang tidak berguna\r\n')),
  ...TEXTS.map((text) => stores(`the content ${JSON.stringify(text)}`, body(file(text)), { content: text })),
  refuses('a file that is cut off', concat(head, 'aduh\r\n')),
  refuses('a line without end', '-'.repeat(256 * 1024)),
  ...['X-', 'X-Header: ', 'X-Header: a\r\n  '].map((start) =>
    refuses(
      `a header line without end after ${JSON.stringify(start)}`,
      concat(`--${BOUNDARY}\r\n${DISPOSITION}\r\n${start}`, 'X'.repeat(1024 * 1024)),
    ),
  ),
  stores(
    'header lines folded with a tab',
    body(file('x', 'Content-Type: text/plain;', '\tcharset=US-ASCII;', '\tformat=flowed')),
    {
      content: 'x',
    },
  ),
  stores('quoted-printable', body(file('ta=\r\nyang=21', 'Content-Transfer-Encoding: quoted-printable')), {
    content: 'ta=\r\nyang=21',
    differs: NOT_DECODED,
  }),
  refuses(
    'a part of type multipart/alternative',
    body(part(['Content-Type: multipart/alternative; boundary=dalam'], '--dalam--')),
    {
      differs: IN_FIELD_FILE,
    },
  ),
  stores('a part in the file', body(file(`--dalam\r\n${DISPOSITION}\r\n\r\nx\r\n--dalam--`)), {
    content: `--dalam\r\n${DISPOSITION}\r\n\r\nx\r\n--dalam--`,
  }),
  refuses(
    'an empty value, and a delimiter after its header',
    concat(`--${BOUNDARY}\r\nContent-Disposition: form-data; name=x\r\n\r\n`, body(file())),
    {
      differs: AFTER_HEADER,
    },
  ),
  refuses('an empty file, and the closing delimiter after its header', concat(head, `--${BOUNDARY}--`), {
    differs: AFTER_HEADER,
  }),
  stores('an empty file with its own line end', concat(head, `\r\n--${BOUNDARY}--`), { content: '' }),
  stores('white space after the closing delimiter', concat(head, `\r\n--${BOUNDARY}-- \t`), { content: '' }),
  refuses('no part, as Chrome sends an empty form', body(), { differs: NEEDS_A_FILE }),
  refuses('a line that begins with the boundary at the start of the file', body(file(`--${BOUNDARY}PALSU`)), {
    differs: BEGINS_WITH_BOUNDARY,
  }),
  refuses('a line that begins with the boundary in the file', body(file(`a\r\n--${BOUNDARY}_alt\r\nb\r\n`)), {
    differs: BEGINS_WITH_BOUNDARY,
  }),
  stores('a line before the first delimiter', concat('Pesan ini berbagian.\r\n', body(file()))),
  ...SIZES.map((size) =>
    stores(`a file of ${size} bytes`, body(file('A'.repeat(size)), field('x')), {
      content: 'A'.repeat(size),
    }),
  ),
  refuses('an empty boundary', body(file()), { contentType: 'multipart/form-data; boundary=' }),
  refuses('no closing delimiter after a value', concat(file(), field('x'), `--${BOUNDARY}\r\n`), {
    differs: NO_CLOSING,
  }),
  refuses('an empty file name', body(fileNamed('filename=""')), { differs: 'it takes the part for a value' }),
  refuses('a name of 1 MB for a value', body(field('a'.repeat(1024 * 1024)), file())),
  refuses('a header line of 1 MB', body(field('x', 'y', `X-Foo: ${'a'.repeat(1024 * 1024)}`), file())),
  refuses(
    'ten thousand header lines',
    body(file('x', ...Array.from({ length: 10_000 }, (_, at) => `k${at}: v`))),
  ),
  refuses(
    'a thousand and one values',
    body(...Array.from({ length: 1_001 }, (_, at) => field(`f${at}`)), file()),
  ),
];
