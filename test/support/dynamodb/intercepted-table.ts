/** A table each of whose calls a test can delay, refuse, send elsewhere, or accompany with a change. */
import type {
  DynamoDBDocumentClient,
  PutCommandInput,
  QueryCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';

type Operation = `${'BatchGet' | 'Delete' | 'Get' | 'Put' | 'Query' | 'TransactWrite' | 'Update'}Command`;

interface TableCall {
  operation: Operation;
  input: Partial<PutCommandInput & QueryCommandInput & UpdateCommandInput>;
  /** By default through the table's own client. */
  send(client?: DynamoDBDocumentClient): Promise<unknown>;
}

/** `intercept` is called instead of the client, and resolves to the output. */
export function interceptTable<Table extends { client: DynamoDBDocumentClient }>(
  table: Table,
  intercept: (call: TableCall) => Promise<unknown>,
): Table {
  const send = (command: { input: TableCall['input'] }) =>
    intercept({
      operation: command.constructor.name as Operation,
      input: command.input,
      send: (client = table.client) => client.send(command as never),
    });
  return { ...table, client: Object.create(table.client, { send: { value: send } }) };
}

/** Whether the call updates the attribute, perhaps among others. */
export function isUpdateOf({ operation, input }: TableCall, attribute: string): boolean {
  const names = Object.values(input.ExpressionAttributeNames ?? {});
  return operation === 'UpdateCommand' && names.includes(attribute);
}
