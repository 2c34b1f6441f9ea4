import { NEEDS_A_FILE, ONE_FILE } from './differences.ts';
import { BOUNDARY, body, concat, DISPOSITION, field, file, part, refuses, stores } from './multipart-case.ts';

const typed = <More>(contentType: string, boundary: string, more?: More) =>
  [body(file()).toString().replaceAll(BOUNDARY, boundary), { contentType, ...more }] as const;
const stays = (boundary: string) =>
  stores(`the boundary ${boundary}`, ...typed(`multipart/form-data; boundary=${boundary}`, boundary));
const folded = (fold: string) =>
  body(part([`Content-Disposition: form-data;\r\n${fold}name="file"; filename="a.txt"`]));
const MAIL =
  '----ea52surat\r\nContent-Type: text/plain;\r\n format=flowed\r\n\r\nSurat.\r\n\r\n--\r\nTayang\r\n';
const NESTED = '--dalam\r\nContent-Type: text/plain\r\n\r\nHai,\r\n\r\n--dalam--\r\n';
const SUSPICIOUS =
  'it flags this for the rules of the operator; every reader agrees about it, so it is taken here';

/** After the regression tests of ModSecurity for its strict multipart reader. */
export const MODSECURITY = [
  stores(
    'values and a file',
    body(field('nama'), field('surel'), file('BINER', 'Content-Type: image/jpeg')),
    { content: 'BINER' },
  ),
  refuses('values alone', body(field('a', '1'), field('b', '2')), { differs: NEEDS_A_FILE }),
  stores('no line end at the very end', body(file()).subarray(0, -2)),
  stays('----------------------------boundary'),
  stays('------Qx3bOuNdArY'),
  stores('hyphens in the file', body(field('a', '--'), file('--uji')), { content: '--uji' }),
  refuses('no closing delimiter', concat(field('a'), file())),
  refuses('no disposition', body(part([]), part([]))),
  refuses(
    'no semicolon in the disposition',
    body(part(['Content-Disposition: form-data name="file" filename="a.txt"'])),
  ),
  refuses('no names in the disposition', body(part(['Content-Disposition: form-data;']))),
  refuses('a part of a colon alone', concat(field('a'), `--${BOUNDARY}\r\n:\r\n`, body(file()))),
  stores('a header folded with a space', folded(' '), { differs: SUSPICIOUS }),
  stores('a header folded with spaces', folded('    '), { differs: SUSPICIOUS }),
  stores('a header folded with a tab', folded('\t'), { differs: SUSPICIOUS }),
  refuses('a header folded with a form feed', folded('\f')),
  refuses('a header folded with a form feed and a tab', folded('\f\t')),
  refuses('a part after the closing delimiter', concat(body(field('a')), body(file()))),
  refuses(
    'single quotes around a value with a double quote',
    body(file(), part([`Content-Disposition: form-data; name=';filename="dummy';name=file;"`])),
  ),
  refuses('two file names', body(part([`${DISPOSITION}; filename="b.txt"`]))),
  refuses('two field names', body(part([`${DISPOSITION}; NAME=lain`]))),
  refuses(
    'a comma before the boundary',
    ...typed('multipart/form-data, boundary=0000', '0000', { status: 415 }),
  ),
  refuses(
    'a space before the boundary',
    ...typed('multipart/form-data boundary=0000', '0000', { status: 415 }),
  ),
  stores(
    'the parameter boundary in another case',
    ...typed('multipart/form-data; bOundAry=0000', '0000', { differs: SUSPICIOUS }),
  ),
  refuses('the parameter boundary123', ...typed('multipart/form-data; boundary123=0000', '0000')),
  refuses(
    'two boundaries, the first in quotes',
    ...typed('multipart/form-data; boundary="0000"; boundary=1111', '0000'),
  ),
  refuses(
    'two boundaries with a comma',
    ...typed('multipart/form-data; boundary=0000, boundary=1111', '0000'),
  ),
  refuses('white space before the equals sign', ...typed('multipart/form-data; boundary =0000', '0000')),
  stores(
    'white space after the equals sign',
    ...typed('multipart/form-data; boundary= 0000', '0000', { differs: SUSPICIOUS }),
  ),
  stores('white space after the boundary', ...typed('multipart/form-data; boundary=0000 ', '0000')),
  refuses(
    'white space and a word after the boundary',
    ...typed('multipart/form-data;boundary=0000 1111', '0000'),
  ),
  refuses(
    'a comma and a word after the boundary',
    ...typed('multipart/form-data;boundary=0000,1111', '0000'),
  ),
  stores(
    'a boundary in quotes',
    ...typed('multipart/form-data;boundary="0000"', '0000', { differs: SUSPICIOUS }),
  ),
  refuses('white space at the start of the quotes', ...typed('multipart/form-data;boundary=" 0000"', '0000')),
  refuses('white space at the end of the quotes', ...typed('multipart/form-data;boundary="0000 "', '0000')),
  refuses(
    'white space in the quotes, the body without it',
    ...typed('multipart/form-data;boundary="0000 1111"', '0000'),
  ),
  refuses('a quote in the quotes', ...typed('multipart/form-data;boundary="00"00"', '00"00')),
  refuses('two quoted values', ...typed('multipart/form-data;boundary="00""00"', '00"00')),
  refuses('a quote at the start alone', ...typed('multipart/form-data;boundary="0000', '0000')),
  refuses('a quote at the end alone', ...typed('multipart/form-data;boundary=0000"', '0000')),
  refuses(
    'a part of type multipart/mixed',
    body(part(['Content-Disposition: attachment', 'Content-Type: multipart/mixed; boundary=dalam'], NESTED)),
  ),
  refuses(
    'a part of type multipart/mixed without a disposition',
    body(part(['Content-Type: multipart/mixed; boundary=dalam'], NESTED)),
  ),
  refuses('three files', body(file(), file(), file()), { differs: ONE_FILE }),
  stores('a mail in the file', body(field('_token'), file(MAIL)), { content: MAIL }),
  stores('a multipart mail in the file', body(field('_token'), file(NESTED)), { content: NESTED }),
  stores(
    'another first boundary',
    concat(field('_token').toString().replace(BOUNDARY, 'Vk7dR'), body(file(MAIL))),
    { content: MAIL },
  ),
  refuses(
    'another boundary between the parts',
    concat(field('_token'), file(MAIL).toString().replace(BOUNDARY, 'Vk7dR'), `--${BOUNDARY}--\r\n`),
  ),
  refuses('another closing boundary', concat(field('_token'), file(MAIL), '--Vk7dR--\r\n')),
  refuses(
    'one part, another first boundary',
    concat(file(MAIL).toString().replace(BOUNDARY, 'Vk7dR'), `--${BOUNDARY}--\r\n`),
  ),
  refuses(
    'one part, another closing boundary',
    concat(`--${BOUNDARY}\r\n${DISPOSITION}\r\n\r\n`, MAIL, '--Vk7dR--\r\n'),
  ),
];
