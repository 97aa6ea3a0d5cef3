/** What `npm run bench` measures; each is a file of this folder. Method and limits are what docs/performance.md says of it. */
export interface MeasurementText {
  readonly about: string;
  readonly method: string;
  /** What its numbers don't say. */
  readonly limits: string;
}

export const measurements = {
  start: {
    about: 'how long the command line takes to answer',
    method:
      "Each command is started 15 times, in turns with the peers; the median counts. Wall time from the start of the process to its end. Node's own start (`node -e 0`) and kubectl, a program of another vendor with about as many commands, are the peers.",
    limits:
      'The files are in the page cache: the first start after a boot takes longer. kubectl is a compiled program without a runtime to start.',
  },
  validate: {
    about: '10,000 environment documents in one call of the command line',
    method:
      "The whole call, process start included; the better of two. The peer does less: the `yaml` package's parser and Ajv over the JSON Schemas of the same plugins, in one thread, without rules and places.",
    limits: 'Every tenth document has one fault. Documents with many faults take longer.',
  },
  pipeline: {
    about: 'what replication costs without a network',
    method:
      'A source and a destination that answer from memory, with the digest map and the database on a file system. CPU seconds of the process for each GiB of data.',
    limits: 'Nothing is compressed, encrypted or sent.',
  },
  transfer: {
    about: 'a disk to a worker, beside nbdcopy, qemu-img and dd over ssh',
    method:
      'Disk and target are files in memory on one computer; all ways take turns, the median counts, and the target is compared with the disk after each. Rates are of what is data: holes are for free. "Link alone" makes the same reads and writes without digests, plan and checkpoints.',
    limits:
      'Client and server share the processors of one computer. Causeway alone makes a SHA-256 of each block, about one second of processor time for a GiB; no peer reads back what it wrote.',
  },
  links: {
    about: 'a disk over long links, beside nbdcopy over TLS and dd over ssh',
    method:
      'As for `transfer`, through a proxy in a process of its own that makes round trip and rate, shared by all connections, with at most 6 MiB on their way on each. "Late" is the share of chunks of 64 KiB that a connection gets a round trip later, as after a lost packet.',
    limits:
      'Client, proxy and server share the processors of one computer, which limits what compression can bring at 1 Gbit/s. Real links also reorder packets.',
  },
  profile: {
    about: 'where the processor time of a transfer goes',
    method:
      'As for `transfer` and `links`, once each, over HTTPS. perf looks 997 times a second at what each processor does; a part is what the function or its callers belong to.',
    limits:
      "A tenth more or less from run to run. What waits is not seen, nor what a part costs the others, e.g. by the processors' caches.",
  },
  images: {
    about: 'disk images by our own readers, beside qemu-nbd',
    method:
      'The whole disk is read as an execution reads it, in turns with qemu-nbd and the same NBD client. Half of the disk is noise, a quarter text, a quarter zeros.',
    limits: 'Files are in the page cache: storage is not measured.',
  },
  nfc: {
    about: "a disk from the data port of a host, beside a peer's client",
    method:
      'A stand-in for a host in a process of its own; ways take turns. The peer is the client that `CAUSEWAY_NFC_PEER` names.',
    limits: 'No real host was measured.',
  },
  'ebs-direct': {
    about: 'a snapshot through the EBS direct APIs, beside a plain client with the same SDK',
    method:
      "A simulated cloud in a process of its own that answers after 0, 10 and 40 ms; the plain client asks for one block after the other, as the SDK's documentation has it.",
    limits: 'The real cloud also limits requests per account.',
  },
  'page-ranges': {
    about: 'a snapshot of a managed disk by page ranges, beside a plain client with the same SDK',
    method:
      'A simulated cloud in a process of its own with storage that answers after 0, 10 and 40 ms; the plain client downloads one piece after the other.',
    limits: 'The real cloud also limits bytes per disk.',
  },
  execution: {
    about: 'whole executions: sparse disks, memory with several disks in parallel',
    method:
      "The command line as users have it, from images in memory to the lab's cloud and its worker, with verification. Memory is the most that the engine's process had resident (VmHWM).",
    limits: 'Engine, worker and cloud share the processors of one computer.',
  },
  increment: {
    about: 'an execution that finds nothing changed on a disk of 1 TiB',
    method:
      "A sparse disk of a QEMU process, which tracks changes, goes to the lab's cloud and its worker, then again without a change, by the command line as users have it. Time is that of the whole command, the start of the worker included. Traffic is what the kernel counts for all TCP connections of the engine, in both directions.",
    limits: "The lab's cloud starts a worker in a second; real clouds take a minute or so. Disks are files in memory.",
  },
  'many-disks': {
    about: 'memory of the engine with many disks in parallel, and more in the queue',
    method:
      "A wave of VMs with sparse disks goes from images in memory to the lab's cloud, each to a worker of its own, and is verified, by the command line as users have it. Memory is the most that the engine's process had resident (VmHWM).",
    limits:
      'Engine, workers and cloud share the processors of one computer: with more of them more chunks are on their way.',
  },
  wave: {
    about: 'a wave of VMs of very different sizes, beside the shortest time that its executions allow',
    method:
      "The command line as users have it, from images in memory to the lab's cloud, two executions at a time; sizes are known by an imported list. The shortest possible time is half of the sum of what the executions took, or the longest of them. The third value is what they would come to in the order of the wave, the smallest first.",
    limits: 'Engine, workers and cloud share the processors of one computer.',
  },
  'guest-preparation': {
    about: 'a guest prepared, beside virt-v2v-in-place and virt-customize',
    method:
      'Copies of one disk, all in software emulation, from the start of the machine that does it to its end; one run. virt-customize gets the same work command by command, virt-v2v-in-place installs no packages: beside it, our time without packages counts.',
    limits:
      'With hardware virtualisation all of them are faster, and what a cloud takes to start a worker comes on top.',
  },
  fleet: {
    about: 'what a fleet costs in processor time, and how much eight VMs in parallel bring beside one',
    method:
      "The command line as users have it with the lab's cloud and a real NATS server. CPU seconds of an execution in a fleet and without one; bytes per second of eight VMs in parallel and of one, of the time in which a disk is copied or verified: where several VMs run, some are verified while others are still copied.",
    limits: 'Engine, workers, cloud and NATS share the processors of one computer.',
  },
  'fleet-movers': {
    about: 'how the throughput of a fleet grows from one mover to four',
    method:
      "Movers in processes of their own, three NATS servers, the lab's cloud with native workers. Each mover carries one execution at a time at 1 MiB/s, as by a link of its own; bytes of all disks by the time from the first order to the last end, checks, workers and verification included.",
    limits:
      'One computer for all: what each execution costs besides its copy, e.g. starting a worker, competes for its processors.',
  },
  'fleet-year': {
    about: 'a year of waves with the real scheduler: 10,000 replicas, 50 movers; queues and costs as plots',
    method: 'The scheduler of fleets on a clock of its own, with failures, windows and limits from a seed.',
    limits: 'Durations and prices are assumptions: plots show how queues and costs grow.',
  },
  workbench: {
    about: 'how the page bears thousands of machines',
    method:
      'The built page in Chromium with one replica for each machine: from the first byte of the answer until rows can be worked with, and the longest task of the main thread. The peers are what people feel as immediate.',
    limits: 'Chromium without a window, on the processors that also run the engine.',
  },
  tables: {
    about: 'our table of ten thousand machines, beside a data grid',
    method:
      'The same columns in the same page in one browser, in turns, beside the data grid of the makers of our components. Processor time of the main thread.',
    limits: 'The grid has functions that our table has not.',
  },
} as const satisfies Readonly<Record<string, MeasurementText>>;

export type MeasurementName = keyof typeof measurements;
export const measurementNames = Object.keys(measurements) as readonly MeasurementName[];
