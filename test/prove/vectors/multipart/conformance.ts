import { LAST_SEGMENT, LINE_FEEDS, NEEDS_A_FILE, ONE_FILE } from './differences.ts';
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

const withBoundary = (boundary: string, contentType = `multipart/form-data; boundary=${boundary}`) =>
  [body(file()).toString().replaceAll(BOUNDARY, boundary), { contentType }] as const;
const SPECIAL = "batas'()+_,-./:=?";
const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const similar = `teks --${BOUNDARY} di tengah\r\nlalu -${BOUNDARY}X bukan`;
const LARGE = 'z'.repeat(300_000);

/** After the cases of multipart-form-data-conformance, in its order. */
export const CONFORMANCE = [
  refuses('one value', body(field('nama')), { differs: NEEDS_A_FILE }),
  stores('one file', body(file('tayang', 'Content-Type: text/plain'))),
  refuses('several values', body(field('a'), field('b'), field('c')), { differs: NEEDS_A_FILE }),
  stores('values and a file', body(field('a'), file(), field('b'))),
  refuses('two files of one name', body(file(), file('lain')), { differs: ONE_FILE }),
  stores('a name in ASCII', body(fileNamed('filename="dokumen.txt"')), { as: 'dokumen.txt' }),
  stores('a name in UTF-8', body(fileNamed('filename="文档.txt"')), { as: '文档.txt' }),
  stores('a name with an encoding', body(fileNamed("filename*=UTF-8''%E6%96%87.txt")), { as: '文.txt' }),
  stores(
    'a name with an encoding after a plain one',
    body(fileNamed(`filename="x.txt"; filename*=UTF-8''%E6%96%87.txt`)),
    { as: '文.txt' },
  ),
  stores('a name with spaces', body(fileNamed('filename="dokumen saya.txt"')), { as: 'dokumen saya.txt' }),
  stores('a name with quotes', body(fileNamed(String.raw`filename="a\"b\".txt"`)), { as: 'a"b".txt' }),
  stores('a name with a backslash', body(fileNamed('filename="folder\\\\berkas.txt"')), {
    as: 'berkas.txt',
    differs: LAST_SEGMENT,
  }),
  stores('a name with a semicolon', body(fileNamed('filename="a;b.txt"')), { as: 'a;b.txt' }),
  refuses('an empty name', body(fileNamed('filename=""')), {
    differs: 'it takes a file without a name, which is what a browser sends where no file was chosen',
  }),
  stores('a name that leads out of its folder', body(fileNamed('filename="../../../etc/passwd"')), {
    as: 'passwd',
    differs: LAST_SEGMENT,
  }),
  stores('a simple boundary', ...withBoundary('sederhana')),
  stores('a boundary with hyphens', ...withBoundary('----batas-dengan-hyphen')),
  stores('a boundary of 70 characters', ...withBoundary('b'.repeat(70))),
  stores('the boundary in the middle of a line', body(file(similar)), { content: similar }),
  stores(
    'a boundary of special characters in quotes',
    ...withBoundary(SPECIAL, `multipart/form-data; boundary="${SPECIAL}"`),
  ),
  stores('a boundary of special characters without quotes', ...withBoundary(SPECIAL)),
  stores('a boundary in quotes', ...withBoundary('dikutip', 'multipart/form-data; boundary="dikutip"')),
  stores(
    'white space around the boundary',
    ...withBoundary('batas', 'multipart/form-data;  boundary= batas '),
  ),
  stores('line ends everywhere', body(field('a', 'satu\r\ndua'), file())),
  refuses('line feeds everywhere', body(file()).toString().replaceAll('\r\n', '\n'), { differs: LINE_FEEDS }),
  stores('a line feed in the file', body(file('satu\ndua')), { content: 'satu\ndua' }),
  stores('a CR in the file', body(file('satu\rdua')), { content: 'satu\rdua' }),
  stores('line ends in the file', body(file('satu\r\ndua\r\n')), { content: 'satu\r\ndua\r\n' }),
  stores('no Content-Type', body(file())),
  stores('a Content-Type with a charset', body(file('tayang', 'Content-Type: text/plain; charset=utf-8'))),
  stores('more headers', body(file('tayang', 'Content-Transfer-Encoding: binary', 'X-Lain: x'))),
  stores(
    'header names in capitals',
    body(part([DISPOSITION.replace('Content-Disposition', 'CONTENT-DISPOSITION')])),
  ),
  stores(
    'a folded disposition',
    body(part(['Content-Disposition: form-data; name="file";', ' filename="panjang.txt"'])),
    { as: 'panjang.txt' },
  ),
  stores(
    'the file name first',
    body(part(['Content-Disposition: form-data; filename="a.txt"; name="file"'])),
  ),
  stores(
    'parameters without quotes',
    body(part(['Content-Disposition: form-data; name=file; filename=a.txt'])),
  ),
  stores('an empty file', body(file('')), { content: '' }),
  stores('an empty value', body(field('a', ''), file())),
  stores('every byte', body(file(ALL_BYTES)), { content: ALL_BYTES }),
  stores('the start of a delimiter in the file', body(file('----\r\n--\r\n-')), {
    content: '----\r\n--\r\n-',
  }),
  stores('300,000 bytes', body(file(LARGE)), { content: LARGE }),
  stores('a byte order mark', body(file('\ufefftayang')), { content: '\ufefftayang' }),
  stores('NUL in a value', body(field('a', 'x\0y'), file())),
  stores('text before the first delimiter', concat('abaikan\r\n', body(file()))),
  refuses('no hyphens after the last delimiter', concat(file(), `--${BOUNDARY}\r\n`)),
  refuses('another boundary in the body', body(file()).toString().replaceAll(BOUNDARY, 'lain')),
  refuses('a body that is cut off', concat(`--${BOUNDARY}\r\n${DISPOSITION}\r\n\r\nta`)),
  refuses('no disposition', body(part(['Content-Type: text/plain']))),
  refuses('an invalid disposition', body(part(['Content-Disposition: form-data; !!!rusak!!!']))),
  refuses(
    'no blank line after the header',
    concat(`--${BOUNDARY}\r\n${DISPOSITION}\r\ntayang\r\n--${BOUNDARY}--\r\n`),
  ),
  stores('text after the closing delimiter', concat(body(file()), 'ekor')),
  refuses(
    'two dispositions',
    body(part([DISPOSITION, 'Content-Disposition: form-data; name="file"; filename="b.txt"'])),
    {
      differs: 'it takes the last one, and says that a refusal is right too; other readers take the first',
    },
  ),
  stores(
    'a delimiter without a line end before it',
    body(file(`a--${BOUNDARY}\r\n${DISPOSITION}\r\n\r\nb`)),
    {
      content: `a--${BOUNDARY}\r\n${DISPOSITION}\r\n\r\nb`,
    },
  ),
  refuses('NUL in the name of a field', body(field('a\0b'), file()), {
    differs: 'it passes NUL on, and says that the application must check; here NUL is refused',
  }),
  ...[
    '----WebKitFormBoundary7MA4YWxkTrZu0gW',
    '---------------------------9051914041544843365972754266',
    '----WebKitFormBoundaryQ2x',
  ].map((boundary) => stores(`the boundary of a browser, ${boundary}`, ...withBoundary(boundary))),
  refuses(
    'an empty file input',
    body(
      part(
        [
          'Content-Disposition: form-data; name="file"; filename=""',
          'Content-Type: application/octet-stream',
        ],
        '',
      ),
    ),
    {
      differs: 'it takes the part; here a form without a chosen file stores nothing',
    },
  ),
];
