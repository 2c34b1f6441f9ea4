// Removes the place where a photo was taken, by cutting its metadata out: the data of the picture and its orientation stay.
const MARKER = { app1: 0xe1, app2: 0xe2, app13: 0xed, scan: 0xda, end: 0xd9 };
/** In a PNG, texts and Exif; in a WebP, Exif and XMP. */
const CUT_CHUNKS = ['eXIf', 'tEXt', 'zTXt', 'iTXt', 'EXIF', 'XMP '];
/** In the VP8X chunk of a WebP: that it has Exif, and XMP. */
const [HAS_EXIF, HAS_XMP] = [0x08, 0x04];

/**
 * The file without its metadata; itself where it has none, or is no such picture. Rejects for one that cannot be read.
 * @param {File} file
 */
export async function withoutPlace(file) {
  const cut = cutterOf(new DataView(await file.slice(0, 12).arrayBuffer()));
  const parts = cut?.(new Uint8Array(await file.arrayBuffer()));
  return parts ? new File(parts, file.name, { type: file.type, lastModified: file.lastModified }) : file;
}

/** @param {DataView} head */
function cutterOf(head) {
  if (head.byteLength < 12) return undefined;
  if (head.getUint32(0) >>> 8 === 0xffd8ff) return cutJpeg;
  if (head.getUint32(0) === 0x89504e47) return cutPng;
  return head.getUint32(0) === 0x52494646 && head.getUint32(8) === 0x57454250 ? cutWebp : undefined;
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
/** @param {string} text */
const encode = (text) => new TextEncoder().encode(text);
/** @type {(bytes: Uint8Array, at: number, length: number) => string} */
const textAt = (bytes, at, length) => String.fromCharCode(...bytes.subarray(at, at + length));

/**
 * A JPEG is a list of segments, then scans. What follows its end stays, such as the film of a motion photo; a picture
 * that follows it is cut as well.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Uint8Array<ArrayBuffer>[] | undefined}
 */
function cutJpeg(bytes) {
  const view = viewOf(bytes);
  const kept = [bytes.subarray(0, 2)];
  let [at, orientation, isCut] = [2, 1, false];
  while (at < bytes.length) {
    if (view.getUint8(at) !== 0xff) throw new Error('a segment of the JPEG does not begin');
    const marker = view.getUint8(at + 1);
    if (marker === MARKER.end) break;
    const end = marker === 0xff ? at + 1 : at + 2 + view.getUint16(at + 2);
    const name = textAt(bytes, at + 4, 6);
    if (marker === MARKER.app1 && name === 'Exif\0\0')
      orientation = orientationIn(bytes.subarray(at + 10, end));
    const isMetadata =
      [MARKER.app1, MARKER.app13].includes(marker) || (marker === MARKER.app2 && name.startsWith('MPF'));
    const next = marker === MARKER.scan ? endOfScan(bytes, end) : end;
    if (!isMetadata) kept.push(bytes.subarray(at, next));
    isCut ||= isMetadata;
    at = next;
  }
  if (isCut && orientation > 1) kept.splice(1, 0, exifSegment(orientation));
  const rest = bytes.subarray(at + 2);
  const next = rest[0] === 0xff && rest[1] === 0xd8 ? cutJpeg(rest) : undefined;
  return isCut || next ? [...kept, bytes.subarray(at, at + 2), ...(next ?? [rest])] : undefined;
}

/**
 * In a scan, 0xff is followed by 0 or by the number of a restart. A JPEG may break off.
 * @param {Uint8Array} bytes
 * @param {number} from
 */
function endOfScan(bytes, from) {
  let at = bytes.indexOf(0xff, from);
  const isOfScan = (/** @type {number | undefined} */ byte = 0) =>
    byte === 0 || (byte >= 0xd0 && byte <= 0xd7);
  while (at >= 0 && isOfScan(bytes[at + 1])) at = bytes.indexOf(0xff, at + 2);
  return at < 0 ? bytes.length : at;
}

/** @param {number} orientation */
function exifSegment(orientation) {
  const exif = exifOf(orientation);
  return Uint8Array.of(0xff, MARKER.app1, 0, exif.length + 8, ...encode('Exif\0\0'), ...exif);
}

/**
 * A PNG is a signature and chunks: length, name, data and checksum. What follows the last one stays.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function cutPng(bytes) {
  const view = viewOf(bytes);
  const kept = [bytes.subarray(0, 8)];
  let [orientation, isCut] = [1, false];
  for (let at = 8, name = ''; name !== 'IEND'; ) {
    const end = at + 12 + view.getUint32(at);
    name = textAt(bytes, at + 4, 4);
    if (end > bytes.length) throw new Error('a chunk of the PNG has no end');
    if (name === 'eXIf') orientation = orientationIn(bytes.subarray(at + 8, end - 4));
    if (CUT_CHUNKS.includes(name)) isCut = true;
    else kept.push(bytes.subarray(at, end));
    at = end;
    if (name === 'IEND') kept.push(bytes.subarray(at));
  }
  // The orientation follows the header.
  if (orientation > 1) kept.splice(2, 0, pngChunk('eXIf', exifOf(orientation)));
  return isCut ? kept : undefined;
}

/**
 * @param {string} name
 * @param {Uint8Array} data
 */
function pngChunk(name, data) {
  const chunk = new Uint8Array(12 + data.length);
  chunk.set([...encode(name), ...data], 4);
  viewOf(chunk).setUint32(0, data.length);
  viewOf(chunk).setUint32(8 + data.length, crc32(chunk.subarray(4, 8 + data.length)));
  return chunk;
}

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/**
 * A WebP is a RIFF file of chunks: name, length and data, of even size. What follows them stays.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function cutWebp(bytes) {
  const view = viewOf(bytes);
  const kept = [];
  let [orientation, isCut] = [1, false];
  const length = Math.min(bytes.length, 8 + view.getUint32(4, true));
  for (let at = 12; at < length; ) {
    const name = textAt(bytes, at, 4);
    const size = view.getUint32(at + 4, true);
    const end = at + 8 + size + (size % 2);
    if (end > bytes.length + 1) throw new Error('a chunk of the WebP has no end');
    if (name === 'EXIF') orientation = orientationIn(bytes.subarray(at + 8, end));
    if (CUT_CHUNKS.includes(name)) isCut = true;
    else kept.push(bytes.slice(at, end));
    at = end;
  }
  if (!isCut) return undefined;
  const exif = orientation > 1 ? exifOf(orientation) : [];
  const [header] = kept;
  if (header && textAt(header, 0, 4) === 'VP8X') {
    const flags = header[8] ?? 0;
    header[8] = (flags & ~HAS_EXIF & ~HAS_XMP) | (exif.length > 0 ? HAS_EXIF : 0);
  }
  if (exif.length > 0) kept.push(Uint8Array.of(...encode('EXIF'), exif.length, 0, 0, 0, ...exif));
  const riff = bytes.slice(0, 12);
  viewOf(riff).setUint32(4, 4 + kept.reduce((sum, { length }) => sum + length, 0), true);
  return [riff, ...kept, bytes.subarray(length)];
}

/**
 * How the picture is turned, from 1 to 8, by its Exif.
 * @param {Uint8Array<ArrayBuffer>} exif
 */
function orientationIn(exif) {
  const start = textAt(exif, 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif;
  const view = viewOf(start);
  const isLittle = textAt(start, 0, 2) === 'II';
  const directory = view.getUint32(4, isLittle);
  for (let index = 0; index < view.getUint16(directory, isLittle); index += 1) {
    const entry = directory + 2 + 12 * index;
    if (view.getUint16(entry, isLittle) === 0x0112) return view.getUint16(entry + 8, isLittle);
  }
  return 1;
}

/**
 * Exif that says nothing but how the picture is turned.
 * @param {number} orientation
 */
function exifOf(orientation) {
  return Uint8Array.of(
    ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1],
    ...[1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0],
    ...[0, 0, 0, 0],
  );
}
