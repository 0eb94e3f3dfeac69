/** Passes authorized DynamoDB calls on to the engine, bytes unchanged in both directions. */
import { buffer } from 'node:stream/consumers';
import { isObject, type JsonObject, parseJson } from '../untyped-json.ts';
import { type AwsCall, sendUnknownOperation } from './aws-call.ts';
import { requiredGrants } from './dynamodb-actions.ts';
import { connectToEngine, passOn, writeAnswerHead } from './engine-connection.ts';

export interface DynamoDbProxy {
  answer(call: AwsCall): Promise<void>;
  close(): void;
}

export function createDynamoDbProxy(settings: {
  engineEndpoint: string;
  tableArn: (tableName: string) => string | undefined;
}): DynamoDbProxy {
  const iterators = createStreamIterators();
  const names = { tableArn: settings.tableArn, streamOfIterator: iterators.streamOf };
  const engine = connectToEngine(settings.engineEndpoint);

  return {
    close: engine.close,
    async answer(call) {
      const { operation, body, response } = call;
      const grants = requiredGrants({ operation, body, names });
      if (grants === undefined) return sendUnknownOperation(response, `dynamodb:${operation}`);
      if (!call.authorize(grants)) return;
      const answer = await engine.send(call);
      if (operation !== 'GetShardIterator' && operation !== 'GetRecords') return passOn(answer, call);
      const answerBody = await buffer(answer);
      iterators.remember(body, answerBody);
      writeAnswerHead(answer, call);
      response.end(answerBody);
    },
  };
}

const maximumRemembered = 10_000;

export function createStreamIterators() {
  const streams = new Map<string, string>();

  function add(iterator: unknown, stream: string): void {
    if (typeof iterator !== 'string') return;
    streams.delete(iterator);
    streams.set(iterator, stream);
    const [oldest] = streams.keys();
    if (streams.size > maximumRemembered && oldest !== undefined) streams.delete(oldest);
  }

  return {
    streamOf: (iterator: string) => streams.get(iterator),
    /** Of a GetShardIterator or GetRecords call: the request's body, and the answer's. */
    remember(requestBody: JsonObject, answerBody: Buffer): void {
      const stream = requestBody.StreamArn ?? streams.get(String(requestBody.ShardIterator));
      const answer = parseJson(answerBody.toString('utf8'));
      if (typeof stream !== 'string' || !isObject(answer)) return;
      add(answer.ShardIterator, stream);
      add(answer.NextShardIterator, stream);
    },
  };
}
