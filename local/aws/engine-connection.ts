/** Passes calls of one AWS service on to the engine that emulates it, over kept connections. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { replaceAccessKeyId } from '../identities.ts';
import type { AwsCall } from './aws-call.ts';

export interface EngineConnection {
  /** The engine's answer; its body is still to be read. `body` replaces that of the call. */
  send(call: AwsCall, body?: Buffer): Promise<IncomingMessage>;
  close(): void;
}

/** Headers that belong to the connection to the local AWS. */
const connectionHeaders = new Set(['connection', 'expect', 'host', 'keep-alive', 'transfer-encoding']);

/** One identity towards the engine: DynamoDB Local gives each access key id a database of its own. */
const engineAccessKeyId = 'local';

export function connectToEngine(endpoint: string): EngineConnection {
  const secure = endpoint.startsWith('https:');
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const request = secure ? httpsRequest : httpRequest;
  return {
    send: (call, body = call.rawBody) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = forwardedHeaders(call, body);
        const outgoing = request(endpoint, { method: 'POST', agent, headers }, resolve);
        outgoing.on('error', reject).end(body);
        // Who has gone waits for nothing any more.
        call.response.once('close', () => {
          if (!call.response.writableFinished) outgoing.destroy();
        });
      }),
    close: () => agent.destroy(),
  };
}

/** Bytes unchanged, as they come. */
export async function passOn(answer: IncomingMessage, { response }: AwsCall): Promise<void> {
  writeAnswerHead(answer, { response });
  await pipeline(answer, response);
}

export function writeAnswerHead(answer: IncomingMessage, { response }: Pick<AwsCall, 'response'>): void {
  response.writeHead(answer.statusCode ?? 500, withoutConnectionHeaders(answer.headers));
}

function forwardedHeaders({ request }: AwsCall, body: Buffer): Record<string, string | string[]> {
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
