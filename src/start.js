// Plain JavaScript, so that a Node too old for what follows can still say so.
const [major] = process.versions.node.split('.').map(Number);

if (major < 24) {
  console.error(
    `Tayang needs Node 24 or newer, this is ${process.version}: run it through npm after npm ci, or install Node 24.`,
  );
  process.exit(1);
}

await import('./runtime.js');
await import('./main.ts');
