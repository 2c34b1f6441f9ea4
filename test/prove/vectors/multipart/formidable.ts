import { IN_FIELD_FILE, NEEDS_A_FILE, NO_CLOSING, NOT_DECODED } from './differences.ts';
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

const BASE64 = 'Content-Transfer-Encoding: base64';
const RAW_QUOTE = 'it guesses where such a name ends; here it is refused, because nothing says where';
const ODD_NAME = "a % & + = ~ # @ ! $ ^ ` * ? | < > %22 ' ( ) [ ] { } , ; ☃ .txt";

/** After the fixtures and unit tests of formidable. */
export const FORMIDABLE = [
  stores('header names in lower case', body(part([DISPOSITION.toLowerCase()]))),
  stores('a CR before the line end of the delimiter', body(file('baris\r')), { content: 'baris\r' }),
  stores('a value with a line end beside the file', body(field('catatan', 'satu\r\ndua'), file())),
  refuses('a header without a name', body(part([DISPOSITION, ': kosong']))),
  stores('base64', body(file('dGF5YW5n', BASE64)), { content: 'dGF5YW5n', differs: NOT_DECODED }),
  stores('7bit', body(file('tayang', 'Content-Transfer-Encoding: 7bit'))),
  stores('binary', body(file('tayang', 'Content-Transfer-Encoding: binary'))),
  stores('an unknown transfer encoding', body(file('tayang', 'Content-Transfer-Encoding: rahasia')), {
    differs: 'it refuses a transfer encoding that it does not know; here none is decoded',
  }),
  stores('a charset before the boundary', body(file()), {
    contentType: `multipart/form-data; charset=utf-8; boundary=${BOUNDARY}`,
  }),
  stores('a charset after the boundary', body(file()), {
    contentType: `multipart/form-data; boundary=${BOUNDARY}; charset=utf-8`,
  }),
  stores('an unknown parameter before the boundary', body(file()), {
    contentType: `multipart/form-data; versi=2; boundary=${BOUNDARY}`,
  }),
  stores('an equals sign in the boundary', body(file()).toString().replaceAll(BOUNDARY, 'a=b=c'), {
    contentType: 'multipart/form-data; boundary=a=b=c',
  }),
  stores('the word json in the boundary', body(file()).toString().replaceAll(BOUNDARY, 'x7jsonQ2'), {
    contentType: 'multipart/form-data; boundary=x7jsonQ2',
  }),
  stores(
    'the file name before the field name',
    body(part(['Content-Disposition: form-data; filename="a.txt"; name="file"'])),
  ),
  refuses('no body', '', { differs: NEEDS_A_FILE }),
  refuses('the closing delimiter alone', body(), { differs: NEEDS_A_FILE }),
  refuses('an empty file name', body(fileNamed('filename=""')), {
    differs: 'it takes a file without a name, which is what a browser sends where no file was chosen',
  }),
  refuses('a part without a disposition', body(part(['Content-Type: application/octet-stream'])), {
    differs: IN_FIELD_FILE,
  }),
  stores('a line end before the first delimiter', concat('\r\n', body(file()))),
  stores('text before the first delimiter', concat('abaikan baris ini\r\n', body(file()))),
  stores('empty lines after the closing delimiter', concat(body(file()), '\r\n\r\n')),
  refuses('a last delimiter without its hyphens', concat(file(), `--${BOUNDARY}\r\n`), {
    differs: NO_CLOSING,
  }),
  refuses('a last delimiter without hyphens and line end', concat(file(), `--${BOUNDARY}`), {
    differs: NO_CLOSING,
  }),
  refuses('a last part without a delimiter', file(), { differs: NO_CLOSING }),
  stores('escaped quotes in a name', body(fileNamed(String.raw`filename="foto \"baru\".txt"`)), {
    as: 'foto "baru".txt',
  }),
  stores('a quote in a name as %22', body(fileNamed('filename="foto%22.txt"')), { as: 'foto".txt' }),
  refuses('a quote in a name without an escape', body(fileNamed('filename="foto".txt"')), {
    differs: RAW_QUOTE,
  }),
  refuses(
    'a quote in a name without an escape, and another parameter',
    body(fileNamed('filename="foto".txt"; x="y"')),
    { differs: RAW_QUOTE },
  ),
  stores('a semicolon in a name', body(fileNamed('filename="foto;2.txt"')), { as: 'foto;2.txt' }),
  stores('an HTML entity in a name', body(fileNamed('filename="salju &#9731;.txt"')), {
    as: 'salju &#9731;.txt',
    differs: 'it decodes HTML entities in names; a name may hold these characters',
  }),
  stores('special characters in a name', body(fileNamed(`filename="${ODD_NAME}"`)), {
    as: ODD_NAME.replace('%22', '"'),
  }),
  stores('special characters after a backslash', body(fileNamed(`filename=": \\ ${ODD_NAME}"`)), {
    as: ` ${ODD_NAME.replace('%22', '"')}`,
  }),
  stores('special characters after a slash', body(fileNamed(`filename="/ ${ODD_NAME}"`)), {
    as: ` ${ODD_NAME.replace('%22', '"')}`,
    differs: 'it keeps what is before a slash; here a name is its last segment',
  }),
  refuses('another type', body(file()), {
    status: 415,
    contentType: 'application/octet-stream',
    differs: 'it takes forms of other types, and JSON; here only multipart/form-data can hold a file',
  }),
];
