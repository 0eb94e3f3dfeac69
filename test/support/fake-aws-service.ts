/** A loopback server in the place of an AWS service: records what it is asked and answers what the test says. */

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface FakeRequest {
  /** The operation of a JSON service, from `X-Amz-Target`: `GetSecretValue`, say. Empty for the others. */
  operation: string;
  body: string;
}

export interface FakeAnswer {
  status?: number;
  body: string;
}

export interface FakeAwsService {
  endpoint: string;
  requests: FakeRequest[];
  stop(): Promise<void>;
}

export async function startFakeAwsService(
  answer: (request: FakeRequest) => FakeAnswer,
): Promise<FakeAwsService> {
  const requests: FakeRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    requests.push(request);
    const { status = 200, body } = answer(request);
    response.writeHead(status).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    requests,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<FakeRequest> {
  const target = String(incoming.headers['x-amz-target'] ?? '');
  return { operation: target.slice(target.indexOf('.') + 1), body: await text(incoming) };
}
