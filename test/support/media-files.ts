import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Small generated files of types that a browser shows: `fixtures/media`. */
const read = (name: string) => readFileSync(path.resolve(import.meta.dirname, '../../fixtures/media', name));

/** About a second of silence. */
export const MP3 = read('silence.mp3');
/** A quarter of a second of a canvas of 64 by 48, as Chromium records it. */
export const WEBM = read('clip.webm');
/** A picture of 320 by 160, without details that scalers render differently. */
export const PNG = read('evening.png');
