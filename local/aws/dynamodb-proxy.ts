/** Passes authorized DynamoDB calls on to the engine, bytes unchanged in both directions. */
import { buffer } from 'node:stream/consumers';
import { type AwsCall, sendUnknownOperation } from './aws-call.ts';
import { requiredGrants } from './dynamodb-actions.ts';
import { connectToEngine, passOn, writeAnswerHead } from './engine-connection.ts';
import { createStreamIterators } from './stream-iterators.ts';

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
