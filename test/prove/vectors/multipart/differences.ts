/** Differences that several readers have in common. Each says what the other reader does, and why the service does not. */

export const ONE_FILE =
  'it takes several files; an upload here is one file, so two are a mistake of the sender';
export const NEEDS_A_FILE = 'it takes a form without a file; there would be nothing to store here';
export const IN_FIELD_FILE = 'it takes a file in any field, or in none; here it must be in the field "file"';
export const NOT_DECODED =
  'it decodes Content-Transfer-Encoding, which RFC 7578 has deprecated; here the bytes are stored as they came, and the answer names the encoding';
export const NO_CLOSING =
  'it takes a body without its closing delimiter; nothing tells such a body from one that was cut off';
export const EPILOGUE =
  'it ignores a delimiter after the closing one; other readers find a second file there, so the body has two meanings';
export const BEGINS_WITH_BOUNDARY =
  'it takes a line that only begins with the boundary for content; other readers, such as busboy, end the part there, so the body has two meanings';
export const AFTER_HEADER =
  'it lets a delimiter follow the blank line of a header; other readers take that delimiter for content, so the body has two meanings';
export const LINE_FEEDS =
  'it takes line feeds alone for line ends; RFC 2046 wants CR LF, and other readers find no part at all';
export const LAST_SEGMENT = 'it keeps the folders of a name; here a name is its last segment';
