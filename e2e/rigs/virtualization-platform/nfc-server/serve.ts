/**
 * A stand-in host in a process of its own, so that what a client costs can be told from what the host costs. Started by `fork`:
 * the first message says where it is, `'ticket'` asks for a ticket.
 *
 *   serve.ts --host 127.0.0.1 --mib 256 --content pattern|noise|half|words --answer-ms 0 --link-mib 0
 *
 * `--answer-ms` is how long network and storage take before they answer a read; several take no longer than one.
 * `--link-mib` is what crosses the network in a second; 0: as much as there is.
 */
import { randomFillSync } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startNfcServer } from './nfc-server.ts';
import { TicketOffice, contentDisk, patternContent } from './served-content.ts';

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    mib: { type: 'string', default: '64' },
    content: { type: 'string', default: 'pattern' },
    'answer-ms': { type: 'string', default: '0' },
    'link-mib': { type: 'string', default: '0' },
  },
});
const sizeBytes = Number(values.mib) * 2 ** 20;
const MIB = 2 ** 20;
let content: Buffer;
if (values.content === 'pattern') {
  content = patternContent(sizeBytes);
} else if (values.content === 'words') {
  // As text and programs are: of a few thousand words, in no order.
  const words = Array.from({ length: 4096 }, (_, index) => `${((index * 2654435761) >>> 0).toString(36)} `);
  const dice = randomFillSync(Buffer.alloc(MIB));
  const text = Buffer.from(
    Array.from({ length: dice.length / 2 }, (_, index) => words[dice.readUInt16LE(2 * index) % words.length]).join(''),
  );
  content = Buffer.alloc(sizeBytes, text);
} else {
  content = randomFillSync(Buffer.alloc(sizeBytes));
  // Every second mebibyte reads as zeros, as on a disk that is half used.
  if (values.content === 'half') for (let at = 0; at < sizeBytes; at += 2 * MIB) content.fill(0, at, at + MIB);
}
const office = new TicketOffice();
const path = '[ds1] vm/vm.vmdk';
const disk = contentDisk(path, 'vm-1', content);
const answerMs = Number(values['answer-ms']);
office.add(
  answerMs === 0
    ? disk
    : { ...disk, read: async (offset, length) => (await setTimeout(answerMs), disk.read(offset, length)) },
);
const server = await startNfcServer({ host: values.host, disks: office });
if (values['link-mib'] !== '0')
  server.faults.add({ kind: 'slow-link', bytesPerSecond: Number(values['link-mib']) * MIB });
process.on('message', (message) => {
  if (message === 'ticket') process.send?.({ ticket: server.ticket(office.issue('vm-1', server.host)) });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ path, sizeBytes });
