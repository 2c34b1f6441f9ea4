import { expect, test } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { openUploadsPort } from '../../src/app/uploads-port.ts';

test('a process whose uploads have lost the socket that it was passed is stopped, so that it is started with it again', async () => {
  let stops = 0;
  const environment = { LISTEN_PID: String(process.pid), LISTEN_FDS: '1', LISTEN_FDNAMES: 'uploads' };
  const port = await openUploadsPort(readConfig(environment, '0.0.0'), () => {
    stops += 1;
  });
  await port.release();
  expect(stops).toBe(0);
  await port.reclaim();
  expect(stops).toBe(1);
});
