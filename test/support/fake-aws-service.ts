/** A loopback server in the place of an AWS service: records what it is asked and answers what the test says. */

import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';

export interface FakeRequest {
  /** The operation of a JSON service, from `X-Amz-Target`: `GetSecretValue`, say. Empty for the others. */
  operation: string;
  body: string;
}

export interface FakeResponse {
  status?: number;
  body: string;
}

export interface FakeAwsService {
  endpoint: string;
  requests: FakeRequest[];
  stop(): Promise<void>;
}

export async function startFakeAwsService(
  answer: (request: FakeRequest) => FakeResponse,
): Promise<FakeAwsService> {
  const requests: FakeRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const target = String(incoming.headers['x-amz-target'] ?? '');
    const request = { operation: target.slice(target.indexOf('.') + 1), body: await text(incoming) };
    requests.push(request);
    const { status = 200, body } = answer(request);
    response.writeHead(status).end(body);
  });
  const { address, stop } = await listen(server);
  return { endpoint: `http://${address}`, requests, stop };
}
