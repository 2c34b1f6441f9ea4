// The token that some installations need for uploads: asked for once, and kept in this browser.
import { load, save } from './shared.js';

const TOKEN = 'tayang-token';
/** The field is there where a token is needed. */
const field = document.getElementById('token');
const input = field instanceof HTMLInputElement ? field : undefined;

if (input) {
  input.value = String(load(TOKEN) ?? '');
  show(input.value === '');
  input.addEventListener('change', () => save(TOKEN, input.value.trim() || undefined));
}

/** @param {boolean} isAsked */
function show(isAsked) {
  const box = document.getElementById('token-box');
  if (box) box.hidden = !isAsked;
}

/** Whether nothing is missing; otherwise asks for the token. */
export function hasToken() {
  if (input?.value.trim() !== '') return true;
  show(true);
  input.focus();
  return false;
}

/**
 * The headers that a request needs to upload something.
 * @returns {Record<string, string>}
 */
export function authorization() {
  const token = input?.value.trim();
  if (!token) return {};
  save(TOKEN, token);
  return { Authorization: `Bearer ${token}` };
}

/** Asks again, because the server did not accept the token. */
export function rejectToken() {
  if (!input) return;
  save(TOKEN, undefined);
  show(true);
  input.focus();
  input.select();
}
