// Plain JavaScript, so that a Node that is too old for the rest can print this message.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');

if (isOlder(process.versions.node, needed)) {
  console.error(
    `Tayang needs Node ${needed} or newer; this is ${process.version}. Run npm ci and start it with npm, or install a newer Node.`,
  );
  process.exitCode = 1;
} else {
  await import('./runtime.js');
  await import('./main.ts');
}

/** Whether a version comes before another one, by major and minor. */
function isOlder(version, other) {
  const [major, minor] = version.split('.').map(Number);
  const [otherMajor, otherMinor] = other.split('.').map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
