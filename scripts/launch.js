// Every npm script goes through here. This file has no import and no new syntax, so that an old Node reads it and says why it stops.
if (Number(process.versions.node.split('.')[0]) < 18) {
  console.error(
    'Causeway needs Node 18 or later, and this is ' +
      process.version +
      '. Install a newer one, then type the same command again.',
  );
  process.exit(2);
}
void import('./tasks.js');
