/** A DynamoDB client that simulates a killed process: from a given call on, nothing is sent or returned. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export interface KillPoint {
  /** The index of the call, from 0. */
  atCall: number;
  /** True when that call still reaches the table. */
  isSent: boolean;
}

export function killableClient(
  client: DynamoDBDocumentClient,
  kill: KillPoint | undefined,
): { client: DynamoDBDocumentClient; killed: Promise<void> } {
  const { promise: killed, resolve } = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  let calls = 0;
  type Command = Parameters<DynamoDBDocumentClient['send']>[0];
  const send = async (command: Command) => {
    const call = calls;
    calls += 1;
    if (kill === undefined || call < kill.atCall) return client.send(command);
    if (call === kill.atCall && kill.isSent) await client.send(command).catch(() => {});
    resolve();
    return never;
  };
  // Pagination requires an instance of the class.
  return { client: Object.create(client, { send: { value: send } }), killed };
}
