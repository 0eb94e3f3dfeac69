/** Forwards authorized DynamoDB calls to the engine, with unchanged bodies in both directions. */
import { buffer } from 'node:stream/consumers';
import type { ServiceEvent } from '#local/service-event.ts';
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
  observe: (event: ServiceEvent) => void;
}): DynamoDbProxy {
  const iterators = createShardIteratorTracker();
  const arns = { tableArn: settings.tableArn, streamArnOfIterator: iterators.streamArnOf };
  const engine = connectToEngine(settings.engineEndpoint);

  return {
    close: engine.close,
    async handle(call) {
      const { operation, body, response } = call;
      const { observe } = settings;
      const grants = requiredGrants({ operation, body, arns });
      if (grants === undefined) return sendUnknownOperation(response, `dynamodb:${operation}`);
      if (!call.authorize(grants)) return;
      const startedMs = performance.now();
      const engineResponse = await engine.send(call);
      const readsStream = operation === 'GetShardIterator' || operation === 'GetRecords';
      const succeeded = engineResponse.statusCode === 200;
      if (succeeded && !readsStream) {
        const latencyMs = performance.now() - startedMs;
        observe({ kind: 'DynamoDB responded', operation, request: body, latencyMs });
        return forwardResponse(engineResponse, call);
      }
      const responseBody = await buffer(engineResponse);
      if (succeeded) iterators.track(body, responseBody);
      else
        observe({
          kind: 'DynamoDB failed',
          operation,
          request: body,
          response: responseBody.toString('utf8'),
        });
      writeResponseHead(engineResponse, call);
      response.end(responseBody);
    },
  };
}

const maxTrackedIterators = 10_000;

/** Remembers the stream of each shard iterator, since requests for records contain only the iterator. */
function createShardIteratorTracker() {
  const streamArns = new Map<string, string>();

  function add(iterator: unknown, streamArn: string): void {
    if (typeof iterator !== 'string') return;
    streamArns.delete(iterator);
    streamArns.set(iterator, streamArn);
    const [oldest] = streamArns.keys();
    if (streamArns.size > maxTrackedIterators && oldest !== undefined) streamArns.delete(oldest);
  }

  return {
    streamArnOf: (iterator: string) => streamArns.get(iterator),
    /** Maps the iterator in the response of a GetShardIterator or GetRecords call to its stream. */
    track(requestBody: JsonObject, responseBody: Buffer): void {
      const streamArn = requestBody.StreamArn ?? streamArns.get(String(requestBody.ShardIterator));
      const response = parseJson(responseBody.toString('utf8'));
      if (typeof streamArn !== 'string' || !isObject(response)) return;
      add(response.ShardIterator, streamArn);
      add(response.NextShardIterator, streamArn);
    },
  };
}
