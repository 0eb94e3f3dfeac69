/** A fake AWS service on loopback that records requests and returns the responses of the test. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../http/listen.ts';

interface FakeRequest {
  /** The operation from `X-Amz-Target`, such as `GetSecretValue`. Empty for services without JSON protocol. */
  operation: string;
  body: string;
  /** Contains the access key and the region: `Credential=<access key>/<day>/<region>/<service>/aws4_request`. */
  authorization: string;
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
  respond: (request: FakeRequest) => FakeResponse,
): Promise<FakeAwsService> {
  const requests: FakeRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const target = String(incoming.headers['x-amz-target'] ?? '');
    const request = {
      operation: target.slice(target.indexOf('.') + 1),
      body: await text(incoming),
      authorization: incoming.headers.authorization ?? '',
    };
    requests.push(request);
    const { status = 200, body } = respond(request);
    response.writeHead(status).end(body);
  });
  const { address, stop } = await listen(server);
  return { endpoint: `http://${address}`, requests, stop };
}
