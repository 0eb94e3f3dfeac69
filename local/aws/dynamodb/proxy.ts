/** Forwards authorized DynamoDB calls to the engine, with unchanged bodies in both directions. */
import { buffer } from 'node:stream/consumers';
import { isObject, type JsonObject, parseJson } from '#local/untyped-json.ts';
import { type AwsCall, sendUnknownOperation } from '../call.ts';
import { connectToEngine, forwardResponse, writeResponseHead } from '../engine-connection.ts';
import { requiredGrants } from './required-grants.ts';

export interface DynamoDbProxy {
  handle(call: AwsCall): Promise<void>;
  close(): void;
}

export function createDynamoDbProxy(settings: {
  engineEndpoint: string;
  tableArn: (tableName: string) => string | undefined;
}): DynamoDbProxy {
  const iterators = createStreamIterators();
  const arns = { tableArn: settings.tableArn, streamOfIterator: iterators.streamOf };
  const engine = connectToEngine(settings.engineEndpoint);

  return {
    close: engine.close,
    async handle(call) {
      const { operation, body, response } = call;
      const grants = requiredGrants({ operation, body, arns });
      if (grants === undefined) return sendUnknownOperation(response, `dynamodb:${operation}`);
      if (!call.authorize(grants)) return;
      const engineResponse = await engine.send(call);
      if (operation !== 'GetShardIterator' && operation !== 'GetRecords')
        return forwardResponse(engineResponse, call);
      const responseBody = await buffer(engineResponse);
      iterators.track(body, responseBody);
      writeResponseHead(engineResponse, call);
      response.end(responseBody);
    },
  };
}

const maxTrackedIterators = 10_000;

export function createStreamIterators() {
  const streams = new Map<string, string>();

  function add(iterator: unknown, stream: string): void {
    if (typeof iterator !== 'string') return;
    streams.delete(iterator);
    streams.set(iterator, stream);
    const [oldest] = streams.keys();
    if (streams.size > maxTrackedIterators && oldest !== undefined) streams.delete(oldest);
  }

  return {
    streamOf: (iterator: string) => streams.get(iterator),
    /** Maps the iterator in the response of a GetShardIterator or GetRecords call to its stream. */
    track(requestBody: JsonObject, responseBody: Buffer): void {
      const stream = requestBody.StreamArn ?? streams.get(String(requestBody.ShardIterator));
      const response = parseJson(responseBody.toString('utf8'));
      if (typeof stream !== 'string' || !isObject(response)) return;
      add(response.ShardIterator, stream);
      add(response.NextShardIterator, stream);
    },
  };
}
