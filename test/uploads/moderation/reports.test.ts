import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { OperationalEvent } from '../../../src/domain/operational-event.ts';
import { createReports, reportNames } from '../../../src/uploads/moderation/reports.ts';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import type { Objects } from '../../../src/uploads/storage/objects.ts';
import { temporaryFolder } from '../../support/service.ts';
import { HOUR_MS, newId } from '../../support/uploads.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const SPAM = { reason: 'spam', note: '' } as const;

let now: number;
let records: Objects;
let events: OperationalEvent[];

beforeEach(async () => {
  now = NOW;
  events = [];
  const storage = await openDiskStorage(await temporaryFolder(onTestFinished));
  onTestFinished(() => storage.close());
  records = storage.records;
});

const open = (over: Partial<Objects> = {}) => {
  const report = (event: OperationalEvent) => void events.push(event);
  return createReports({ ...records, ...over }, () => now, report);
};

describe('reports', () => {
  test('are logged without control characters, and stored as they were sent', async () => {
    const id = newId(NOW + HOUR_MS);
    const note = '\x1b[31m<b>red</b>\u202e\nend';
    await open().add(id, { reason: 'malware', note });
    expect(events).toEqual([
      {
        type: 'file-reported',
        id,
        reason: 'malware',
        note: '[31m<b>red</b> end',
        isStored: true,
        earlier: 0,
      },
    ]);
    const [name = ''] = await reportNames(records);
    expect(JSON.parse(String(await records.get(name)))).toEqual({ id, reason: 'malware', note, at: NOW });
  });

  test('are limited to twenty for one file; further ones are neither stored nor logged', async () => {
    const id = newId(NOW + HOUR_MS);
    const reports = open();
    for (let i = 0; i < 50; i += 1) await reports.add(id, SPAM);
    expect(await reportNames(records)).toHaveLength(20);
    expect(events).toHaveLength(20);
    await reports.add(newId(NOW + HOUR_MS), SPAM);
    expect(await reportNames(records)).toHaveLength(21);
  });

  test('beyond 10,000 in all are only logged, until there are fewer', async () => {
    const full = { isFull: true };
    async function* list(prefix: string) {
      const isAll = prefix === 'report.';
      for (let i = 0; isAll && full.isFull && i < 10_000; i += 1) yield `report.${i}`;
    }
    const reports = open({ list });
    await reports.add(newId(NOW + HOUR_MS), SPAM);
    expect(events).toMatchObject([{ type: 'file-reported', isStored: false }]);
    expect(await reportNames(records)).toEqual([]);
    full.isFull = false;
    now += 60_000;
    await reports.add(newId(NOW + HOUR_MS), SPAM);
    expect(await reportNames(records)).toHaveLength(1);
  });
});
