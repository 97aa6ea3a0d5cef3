import net from 'node:net';
import { createInterface } from 'node:readline';
import tls from 'node:tls';
import { XdrReader, XdrWriter } from '../../electron/engine/qmp/xdr.ts';

/** How the stand-in listens: at a Unix socket, or over TLS with a client's certificate asked for. */
export type LibvirtListen =
  | { readonly socket: string }
  | { readonly ca: string; readonly cert: string; readonly key: string };

export interface LibvirtStandIn {
  /** 0 at a Unix socket. */
  readonly port: number;
  close(): Promise<void>;
}

const REMOTE = 0x2000_8086;
const uuid = Buffer.from('00112233445566778899aabbccddeeff', 'hex');

/**
 * A libvirt daemon with one running domain, as far as its protocol is used here (sign-in without a password, opening the driver, the list of
 * domains, commands for the monitor). The monitor is that of a real QEMU, at `qmp`.
 */
export async function startLibvirtStandIn(domain: string, qmp: string, listen: LibvirtListen): Promise<LibvirtStandIn> {
  const open = new Set<net.Socket>();
  const serve = (socket: net.Socket): void => {
    open.add(socket);
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
    let come: Buffer = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      come = Buffer.concat([come, piece]);
      while (come.length >= 4 && come.length >= come.readUInt32BE()) {
        const message = come.subarray(4, come.readUInt32BE());
        come = come.subarray(come.readUInt32BE());
        const head = new XdrReader(message.subarray(0, 24));
        const [program, , procedure, , serial] = [head.uint(), head.uint(), head.uint(), head.uint(), head.uint()];
        void answer(program, procedure, new XdrReader(message.subarray(24))).then((payload) => {
          const reply = new XdrWriter()
            .uint(28 + payload.length)
            .uint(program)
            .uint(1)
            .uint(procedure)
            .uint(1)
            .uint(serial)
            .uint(0);
          socket.write(Buffer.concat([reply.bytes(), payload]));
        });
      }
    });
  };
  const answer = async (program: number, procedure: number, args: XdrReader): Promise<Buffer> => {
    if (program !== REMOTE) {
      args.text();
      args.fixed(16);
      args.int();
      return new XdrWriter().text(await monitor(qmp, args.text())).bytes();
    }
    if (procedure === 66) return new XdrWriter().uint(1).uint(0).bytes();
    if (procedure === 273) return new XdrWriter().uint(1).text(domain).fixed(uuid).uint(1).uint(1).bytes();
    return Buffer.alloc(0);
  };
  const server =
    'socket' in listen
      ? net.createServer(serve)
      : tls.createServer(
          { ca: listen.ca, cert: listen.cert, key: listen.key, requestCert: true, rejectUnauthorized: true },
          (socket) => {
            // The daemon's word that it accepts the certificate.
            socket.write(Buffer.from([1]));
            serve(socket);
          },
        );
  await new Promise<void>((resolve) =>
    'socket' in listen ? server.listen(listen.socket, resolve) : server.listen(0, '127.0.0.1', resolve),
  );
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One command at a QMP socket, and its answer. */
async function monitor(path: string, command: string): Promise<string> {
  const socket = net.connect(path).on('error', () => undefined);
  const commands = ['{"execute":"qmp_capabilities"}', command];
  return new Promise((resolve, reject) => {
    socket.once('close', () => reject(new Error('QEMU closed its monitor')));
    createInterface({ input: socket }).on('line', (line) => {
      if ('event' in (JSON.parse(line) as object)) return;
      const next = commands.shift();
      if (next !== undefined) return void socket.write(`${next}\n`);
      resolve(line);
      socket.destroy();
    });
  });
}
