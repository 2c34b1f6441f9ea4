import { createECDH } from 'node:crypto';
import { expect, test } from 'vitest';
import { encryptMessage } from '../../src/outbox/push/encrypt.ts';
import { createBrowserKeys } from '../support/push-service.ts';

/** RFC 8291, appendix A. */
const EXAMPLE = {
  text: 'When I grow up, I want to be a watermelon',
  sender: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_' +
    'yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

test('a message is encrypted as in the example of RFC 8291', () => {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(EXAMPLE.sender, 'base64url');
  const body = encryptMessage(EXAMPLE.text, EXAMPLE, { salt: Buffer.from(EXAMPLE.salt, 'base64url'), ecdh });
  expect(body.toString('base64url')).toBe(EXAMPLE.body);
});

test('every message has a salt and a key of its own, and the browser can read it', () => {
  const browser = createBrowserKeys();
  const bodies = [1, 2].map(() => encryptMessage('Naga ∞ 龍 😀', browser.keys));
  expect(bodies.map(browser.decrypt)).toEqual(['Naga ∞ 龍 😀', 'Naga ∞ 龍 😀']);
  expect(bodies[0]!.subarray(0, 86).equals(bodies[1]!.subarray(0, 86))).toBe(false);
});
