import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';

// Draws the app's icons from the page's own one: `node scripts/icons.ts`. They are kept in the repository, so that only
// a changed drawing needs a browser.

const root = join(import.meta.dirname, '..');
const sizes = [16, 24, 32, 48, 64, 128, 256, 512, 1024];
const svg = readFileSync(join(root, 'renderer/public/icon.svg'), 'utf8');
const folder = join(root, 'assets/icons');
mkdirSync(folder, { recursive: true });

/** Of the tray: as the app's, and one without colours or ground for macOS, which draws it as its menu bar is. The suffix is the density of a screen. */
const trayIcons = {
  tray: 16,
  'tray@1.25x': 20,
  'tray@1.5x': 24,
  'tray@2x': 32,
  'tray@3x': 48,
  trayTemplate: 16,
  'trayTemplate@2x': 32,
} as const;
const plainSvg = svg
  .replace(/<rect [^>]*>/, '')
  .replaceAll(/#[0-9a-f]{3,6}/g, '#000')
  .replace('viewBox="0 0 64 64"', 'viewBox="2 8 60 44"');
const trayFolder = join(root, 'assets/tray');
mkdirSync(trayFolder, { recursive: true });

const pngs = new Map<number, Buffer>();
const browser = await chromium.launch({
  executablePath: process.env['CAUSEWAY_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage();
  const drawn = async (image: string, size: number): Promise<Buffer> => {
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(
      `<style>html,body{margin:0;background:transparent}svg{display:block;width:${size}px;height:${size}px}</style>${image}`,
    );
    return page.screenshot({ omitBackground: true, type: 'png' });
  };
  for (const size of sizes) pngs.set(size, await drawn(svg, size));
  for (const [name, size] of Object.entries(trayIcons))
    writeFileSync(join(trayFolder, `${name}.png`), await drawn(name.startsWith('trayTemplate') ? plainSvg : svg, size));
} finally {
  await browser.close();
}
for (const [size, png] of pngs) writeFileSync(join(folder, `${size}x${size}.png`), png);
writeFileSync(join(folder, 'icon.ico'), ico([16, 24, 32, 48, 64, 128, 256]));
writeFileSync(
  join(folder, 'icon.icns'),
  icns({
    icp4: 16,
    icp5: 32,
    icp6: 64,
    ic07: 128,
    ic08: 256,
    ic09: 512,
    ic10: 1024,
    ic11: 32,
    ic12: 64,
    ic13: 256,
    ic14: 512,
  }),
);

/** A Windows icon: a folder of PNGs. In its entries 256 is written as 0. */
function ico(members: readonly number[]): Buffer {
  const images = members.map((size) => pngs.get(size)!);
  const header = Buffer.alloc(6 + 16 * members.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(members.length, 4);
  let offset = header.length;
  for (const [index, size] of members.entries()) {
    const at = 6 + 16 * index;
    header.writeUInt8(size % 256, at);
    header.writeUInt8(size % 256, at + 1);
    header.writeUInt16LE(1, at + 4);
    header.writeUInt16LE(32, at + 6);
    header.writeUInt32LE(images[index]!.length, at + 8);
    header.writeUInt32LE(offset, at + 12);
    offset += images[index]!.length;
  }
  return Buffer.concat([header, ...images]);
}

/** A macOS icon: PNGs under four-letter types, some of them for displays of double density. */
function icns(types: Readonly<Record<string, number>>): Buffer {
  const parts = Object.entries(types).map(([type, size]) => block(type, pngs.get(size)!));
  return block('icns', Buffer.concat(parts));
}

function block(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(content.length + 8, 4);
  return Buffer.concat([head, content]);
}
