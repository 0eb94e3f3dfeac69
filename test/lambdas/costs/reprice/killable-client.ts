/** A DynamoDB client of a process that is killed at one of its calls: from then on nothing goes out or comes back. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export interface Killing {
  /** The number of the call, from 0 on. */
  atCall: number;
  /** Whether that call still reaches the table. */
  isSent: boolean;
}

export function killableClient(
  client: DynamoDBDocumentClient,
  kill: Killing | undefined,
): { client: DynamoDBDocumentClient; killed: Promise<void> } {
  const { promise: killed, resolve } = Promise.withResolvers<void>();
  const neverAnswered = new Promise<never>(() => {});
  let calls = 0;
  type Command = Parameters<DynamoDBDocumentClient['send']>[0];
  const send = async (command: Command) => {
    const call = calls;
    calls += 1;
    if (kill === undefined || call < kill.atCall) return client.send(command);
    if (call === kill.atCall && kill.isSent) await client.send(command).catch(() => {});
    resolve();
    return neverAnswered;
  };
  // Pagination takes nothing but an instance of the class.
  return { client: Object.create(client, { send: { value: send } }), killed };
}
