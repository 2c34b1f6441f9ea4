import { expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { openUploadsPort } from '../../src/app/uploads-port.ts';

test('a process whose uploads have lost the socket that it was passed is stopped, so that it is started with it again', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  const environment = { LISTEN_PID: String(process.pid), LISTEN_FDS: '1', LISTEN_FDNAMES: 'uploads' };
  const port = await openUploadsPort(readConfig(environment, '0.0.0'));
  await port.release();
  expect(kill).not.toHaveBeenCalled();
  await port.reclaim();
  expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGTERM');
});
