import { crawlInto } from '../support/crawl-into.ts';
import { inFolder } from '../support/folders.ts';
import { fire } from '../support/load.ts';
import { startKillable } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const ANSWERS = 20_000;
const KILLS = 20;
const TARGET = '/api/anime/home?page=2';

/** The requests of the listing that get 200 while a thread is ended, and started again, twenty times. */
export function measureRestarts(): Promise<Row[]> {
  return inFolder(async (folder) => {
    await crawlInto(folder);
    const rows: Row[] = [];
    for (const thread of ['uploads', 'crawler']) rows.push(await killRepeatedly(folder, thread));
    return rows;
  });
}

async function killRepeatedly(folder: string, thread: string): Promise<Row> {
  const service = await startKillable(folder);
  const url = service.address + TARGET;
  let answered = 0;
  for (let kills = 0; kills < KILLS; kills += 1) {
    const isBack = service.restart(thread);
    answered += await fire({ url, amount: ANSWERS / KILLS });
    await isBack;
  }
  await service.stop();
  return {
    what: `200 of ${ANSWERS} while the thread of the ${thread} is ended ${KILLS} times`,
    values: [answered],
    wanted: { atLeast: ANSWERS },
  };
}
