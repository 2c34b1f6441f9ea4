import { LAST_SEGMENT, NEEDS_A_FILE, ONE_FILE } from './differences.ts';
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

const LONG = 'n'.repeat(8 * 1024);
const NO_DISPOSITION = part(['Content-Type: text/plain; charset=utf8']);
const STOPPED =
  'its limits end the reading without an error, and the application decides; here a body over a limit is refused whole';

/** After the tests of busboy. */
export const BUSBOY = [
  stores('two values before the file', body(field('satu'), field('dua'), file())),
  refuses('two files', body(file(), file('lain')), { differs: ONE_FILE }),
  refuses('values without a file', body(field('cont'), field('pass'), field('bit', '2')), {
    differs: NEEDS_A_FILE,
  }),
  refuses('no bytes', ''),
  refuses('a value that is too long', body(field('catatan', 'x'.repeat(64 * 1024)), file()), {
    differs: STOPPED,
  }),
  refuses('too many values', body(...Array.from({ length: 9 }, () => field('n')), file()), {
    differs: STOPPED,
  }),
  refuses('too many parts', body(...Array.from({ length: 10 }, () => NO_DISPOSITION), file()), {
    differs: STOPPED,
  }),
  stores('an absolute path', body(fileNamed('filename="/tmp/foto1.dat"')), { as: 'foto1.dat' }),
  stores('a path of Windows', body(fileNamed('filename="C:\\berkas\\foto2.dat"')), { as: 'foto2.dat' }),
  stores('a relative path', body(fileNamed('filename="folder/foto3.dat"')), { as: 'foto3.dat' }),
  stores('a path, where busboy is told to keep it', body(fileNamed('filename="/mutlak/foto1.dat"')), {
    as: 'foto1.dat',
    differs: LAST_SEGMENT,
  }),
  stores('an empty Content-Type', body(field('cont', 'x', 'Content-Type: '), file())),
  stores('an empty Content-Disposition', body(part(['Content-Disposition: ']), file())),
  stores('a name with an encoding', body(fileNamed("filename*=utf-8''n%C3%A4me.txt")), { as: 'näme.txt' }),
  stores('a name in UTF-8', body(fileNamed('filename="テスト.dat"')), { as: 'テスト.dat' }),
  refuses(
    'text between the header lines',
    concat(`--${BOUNDARY}\r\n:)${DISPOSITION}\r\n:)\r\n:)x\r\n:)--${BOUNDARY}--`),
  ),
  stores('a value of type JSON', body(field('cont', '{}', 'Content-Type: application/json'), file())),
  refuses('the closing delimiter alone, without a line end', `--${BOUNDARY}--`, { differs: NEEDS_A_FILE }),
  refuses('an end after the header of the file', concat(`--${BOUNDARY}\r\n${DISPOSITION}\r\n\r\n`)),
  refuses('an end after the first byte of the file', concat(`--${BOUNDARY}\r\n${DISPOSITION}\r\n\r\na`)),
  stores('a text with a charset', body(file('a', 'Content-Type: text/plain; charset=utf8')), {
    content: 'a',
  }),
  stores('a folded Content-Type', body(file('a', 'Content-Type: ', ' text/plain; charset=utf8')), {
    content: 'a',
  }),
  refuses('no Content-Disposition', body(NO_DISPOSITION), { differs: NEEDS_A_FILE }),
  stores('no Content-Disposition beside the file', body(NO_DISPOSITION, file())),
  refuses('a header of 64 KB', body(fileNamed(`filename="${'a'.repeat(64 * 1024)}.txt"`))),
  refuses(
    'a header of 64 KB before the file',
    body(field('x', 'y', `X-Long: ${'a'.repeat(64 * 1024)}`), file()),
    {
      differs:
        'it drops the part with that header and reads on; here a body with a broken part is refused whole',
    },
  ),
  stores(
    'headers of 8 KB in each part',
    body(field('x', 'y', `X-Long: ${LONG}`), fileNamed(`filename="${LONG}.txt"`)),
    {
      as: `${LONG}.txt`,
    },
  ),
  stores('a CR at the end of a chunk', body(file(`${'a'.repeat(31)}\r${'b'.repeat(40)}`)), {
    content: `${'a'.repeat(31)}\r${'b'.repeat(40)}`,
  }),
  stores('an empty file after an empty line', concat('\r\n', body(part([DISPOSITION], ''))), { content: '' }),
  stores(
    'unquoted parameters',
    body(part(['Content-Disposition: form-data; name=file; filename=kelompok'])),
    {
      as: 'kelompok',
    },
  ),
];
