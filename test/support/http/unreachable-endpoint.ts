/** An endpoint on loopback that refuses connections. */
import { createServer } from 'node:http';
import { listen } from './listen.ts';

export async function unreachableEndpoint(): Promise<string> {
  const { address, stop } = await listen(createServer());
  await stop();
  return `http://${address}`;
}
