/** Passes authorized DynamoDB calls on to the engine, bytes unchanged in both directions. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { replaceAccessKeyId } from '../identities.ts';
import { type AwsCall, sendUnknownOperation } from './aws-call.ts';
import { requiredGrants } from './dynamodb-actions.ts';
import { createStreamIterators } from './stream-iterators.ts';

export interface DynamoDbProxy {
  answer(call: AwsCall): Promise<void>;
  close(): void;
}

/** Headers that belong to the connection to this proxy. */
const connectionHeaders = new Set(['connection', 'expect', 'host', 'keep-alive', 'transfer-encoding']);

/** One identity towards the engine: DynamoDB Local gives each access key id a database of its own. */
const engineAccessKeyId = 'local';

export function createDynamoDbProxy(settings: {
  engineEndpoint: string;
  tableArn: (tableName: string) => string | undefined;
}): DynamoDbProxy {
  const iterators = createStreamIterators();
  const names = { tableArn: settings.tableArn, streamOfIterator: iterators.streamOf };
  const engine = connectTo(settings.engineEndpoint);

  return {
    close: engine.close,
    async answer(call) {
      const { operation, body, response } = call;
      const grants = requiredGrants({ operation, body, names });
      if (grants === undefined) return sendUnknownOperation(response, `dynamodb:${operation}`);
      if (!call.authorize(grants)) return;
      const answer = await engine.send(forwardedHeaders(call), call.rawBody);
      response.writeHead(answer.statusCode ?? 500, withoutConnectionHeaders(answer.headers));
      if (operation === 'GetShardIterator' || operation === 'GetRecords') {
        const answerBody = await readAll(answer);
        iterators.remember(body, answerBody);
        response.end(answerBody);
      } else {
        await pipeline(answer, response);
      }
    },
  };
}

function connectTo(endpoint: string) {
  const secure = endpoint.startsWith('https:');
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const request = secure ? httpsRequest : httpRequest;
  return {
    send: (headers: Record<string, string | string[]>, body: Buffer) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        request(endpoint, { method: 'POST', agent, headers }, resolve).on('error', reject).end(body);
      }),
    close: () => agent.destroy(),
  };
}

function forwardedHeaders({ request, rawBody }: AwsCall): Record<string, string | string[]> {
  const { authorization = '', ...others } = withoutConnectionHeaders(request.headers);
  return {
    ...others,
    authorization: replaceAccessKeyId(String(authorization), engineAccessKeyId),
    'content-length': String(rawBody.length),
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

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
