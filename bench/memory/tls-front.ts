/**
 * Speaks TLS for a server of the bench (`TARGET`) that does not, since everything that a function calls does. Notes when an
 * answer was over on this side of the gateway, by the tokens that it is said to have.
 */
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';

const port = Number(new URL(process.env.TARGET ?? '').port);
const overAtMs: Record<string, number> = {};
const server = createServer(
  {
    key: readFileSync(process.env.KEY ?? ''),
    cert: readFileSync(process.env.CERTIFICATE ?? ''),
    noDelay: true,
  },
  (secure) => {
    const plain = connect({ port, host: '127.0.0.1', noDelay: true });
    plain.on('data', (bytes: Buffer) => {
      const tokens = /"completion_tokens":(\d+)/.exec(bytes.toString('latin1'))?.[1];
      if (tokens !== undefined) overAtMs[tokens] = performance.timeOrigin + performance.now();
    });
    secure.pipe(plain).pipe(secure);
    secure.once('error', () => plain.destroy());
    plain.once('error', () => secure.destroy());
  },
);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => process.send?.({ counts: overAtMs }));
process.once('disconnect', () => process.exit());
