/** Forwards calls to the engine that emulates an AWS service, over keep-alive connections. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { replaceAccessKeyId } from '../identities.ts';
import type { AwsCall } from './call.ts';

interface EngineConnection {
  /** Resolves to the engine's response with an unread body. `body` replaces the body of the call. */
  send(call: AwsCall, body?: Buffer): Promise<IncomingMessage>;
  close(): void;
}

const connectionHeaders = new Set(['connection', 'expect', 'host', 'keep-alive', 'transfer-encoding']);

/** All calls share one access key id: DynamoDB Local keeps a separate database for each. */
const engineAccessKeyId = 'local';

export function connectToEngine(endpoint: string): EngineConnection {
  const secure = endpoint.startsWith('https:');
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const request = secure ? httpsRequest : httpRequest;
  return {
    send: (call, body = call.rawBody) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = createEngineHeaders(call, body);
        const outgoing = request(endpoint, { method: 'POST', agent, headers }, resolve);
        outgoing.on('error', reject).end(body);
        call.response.once('close', () => {
          if (!call.response.writableFinished) outgoing.destroy();
        });
      }),
    close: () => agent.destroy(),
  };
}

export async function forwardResponse(engineResponse: IncomingMessage, { response }: AwsCall): Promise<void> {
  writeResponseHead(engineResponse, { response });
  await pipeline(engineResponse, response);
}

export function writeResponseHead(
  engineResponse: IncomingMessage,
  { response }: Pick<AwsCall, 'response'>,
): void {
  response.writeHead(engineResponse.statusCode ?? 500, withoutConnectionHeaders(engineResponse.headers));
}

function createEngineHeaders({ request }: AwsCall, body: Buffer): Record<string, string | string[]> {
  const { authorization = '', ...others } = withoutConnectionHeaders(request.headers);
  return {
    ...others,
    authorization: replaceAccessKeyId(String(authorization), engineAccessKeyId),
    'content-length': String(body.length),
  };
}

function withoutConnectionHeaders(
  headers: NodeJS.Dict<string | string[]>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || connectionHeaders.has(name) ? [] : [[name, value]],
    ),
  );
}
