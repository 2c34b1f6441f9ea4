// Plain JavaScript, so that a Node that is too old for the rest can print this message.
const [major] = process.versions.node.split('.').map(Number);

if (major < 24) {
  console.error(
    `Tayang needs Node 24 or newer; this is ${process.version}. Run npm ci and start it with npm, or install Node 24.`,
  );
  process.exitCode = 1;
} else {
  await import('./runtime.js');
  await import('./main.ts');
}
