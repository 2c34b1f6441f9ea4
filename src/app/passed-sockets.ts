/** The descriptors of listening sockets that a supervisor has passed on, in place of the ports. */
export interface PassedSockets {
  listing?: number;
  uploads?: number;
}

/** The descriptor of the first socket that systemd passes on. */
const FIRST_SOCKET = 3;

/**
 * The descriptors of systemd's socket activation (sd_listen_fds). The variables are meant for one process, not for its children.
 */
export function readPassedSockets(
  { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' }: NodeJS.ProcessEnv,
  pid: number,
  forbid: (isWrong: boolean, problem: string) => void,
): PassedSockets {
  if (Number(LISTEN_PID) !== pid) return {};
  const names = LISTEN_FDNAMES.split(':');
  const areKnown =
    names.length === Number(LISTEN_FDS) && names.every((name) => /^(?:listing|uploads)$/u.test(name));
  forbid(
    !areKnown,
    'LISTEN_FDNAMES must be listing, uploads, or both (FileDescriptorName= of the socket unit)',
  );
  return Object.fromEntries(names.map((name, index) => [name, FIRST_SOCKET + index]));
}
