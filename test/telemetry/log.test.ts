import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { createLog, createReport } from '../../src/telemetry/log.ts';

/** A log on what claims to be a terminal, and the lines that it writes there. */
async function openOnTerminal() {
  const terminal = new PassThrough({ encoding: 'utf8' });
  const log = await createLog('info', Object.assign(terminal, { isTTY: true }) as never);
  return {
    report: createReport(log),
    lines: () =>
      String(terminal.read() ?? '')
        .split('\n')
        .slice(0, -1),
  };
}

function open() {
  const lines: string[] = [];
  const report = createReport(pino({}, { write: (line: string) => void lines.push(line) }));
  return { report, lines };
}

test('a line lists a limited number of items, however many anime a page links to', () => {
  const { report, lines } = open();
  const slugs = Array.from({ length: 10_000 }, (_, index) => `naga-${index}`);
  report({ type: 'anime-missing', from: 'the schedule', slugs });
  const [line = ''] = lines;
  const { msg, slugs: shown } = JSON.parse(line);
  expect(msg).toContain('naga-0 and 9999 more');
  expect(shown).toEqual(slugs.slice(0, 20));
});

test('a scan that fails is a warning, and so is what it finds, with the signature', () => {
  const { report, lines } = open();
  const error = new Error('clamd closed the connection');
  report({ type: 'upload-scanned', outcome: 'failed', error });
  report({ type: 'upload-scanned', outcome: 'found', signature: 'Eicar-Test-Signature' });
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([40, 40]);
  expect(lines[1]).toContain('Eicar-Test-Signature');
});

test('a message is one line on a terminal, without its fields and without raw times', async () => {
  const { report, lines } = await openOnTerminal();
  const error = new AppError('source-blocked', 'the source refused with 403');
  const nextAttempt = Date.UTC(2026, 10, 20, 12);
  report({ type: 'refresh-refused', error, isNews: true, hasSnapshot: false, nextAttempt });
  report({ type: 'attempt-failed', what: '/jadwal-rilis/', error, retryInMs: 333 });
  report({ type: 'stopped' });
  expect(lines()).toEqual([
    expect.stringMatching(
      /^\[\d\d:\d\d:\d\d [+-]\d{4}\] WARN: the source refused with 403; there is no listing yet; next attempt at 2026-11-20T12:00:00Z$/u,
    ),
    expect.stringMatching(/ WARN: \/jadwal-rilis\/: the source refused with 403; retrying in 0.3 s$/u),
    expect.stringMatching(/ INFO: stopped$/u),
  ]);
});

test('the stack of an unexpected error follows its message on a terminal, which has the id of the request', async () => {
  const { report, lines } = await openOnTerminal();
  const error = new TypeError('offset is not a function');
  report({ type: 'request-failed', id: 'k7f2', method: 'POST', path: '/upload', error });
  const [message, ...stack] = lines();
  expect(message).toMatch(/ ERROR: POST \/upload failed \(request k7f2\): offset is not a function$/u);
  expect(stack.join('\n')).toContain('log.test.ts');
});
