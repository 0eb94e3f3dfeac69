/** An address of this machine at which nothing listens. */
import { createServer } from 'node:http';
import { listen } from './listen.ts';

export async function unreachableEndpoint(): Promise<string> {
  const { address, stop } = await listen(createServer());
  await stop();
  return `http://${address}`;
}
