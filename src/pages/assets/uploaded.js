// What this browser has uploaded.
import { savedList } from './shared.js';

/**
 * A file that was uploaded, with the address that deletes it.
 * @typedef {object} Uploaded
 * @property {string} name
 * @property {string} page
 * @property {string | undefined} direct absent in what an earlier version has saved
 * @property {string} deletion
 * @property {number} expires ms since 1970
 */
export const UPLOADED = 'tayang-uploads';
/** @type {ReturnType<typeof savedList<Uploaded>>} */
export const uploaded = savedList(UPLOADED, 200);
