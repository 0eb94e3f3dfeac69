/** The interfaces through which the product calls DynamoDB, for a table in memory. */
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { ServiceError } from '#lambdas/platform/aws/errors.ts';
import { fromAttributes } from '#lambdas/platform/dynamodb/attributes.ts';
import {
  ConditionFailedError,
  type Item,
  type TableCalls,
  type TableUpdates,
} from '#lambdas/platform/dynamodb/table.ts';
import type { Expressions } from './placeholders.ts';
import type { MemoryTable, Outcome, Write } from './table.ts';
import { type Attributes, ValidationError } from './values.ts';

export function createMemoryTableCalls(table: MemoryTable): Pick<TableCalls, 'get'> & TableUpdates {
  return {
    async get(TableName, Key) {
      checkInput(table, { TableName });
      return itemOf(table.find(Key)) ?? null;
    },
    async update(TableName, Key, { UpdateExpression, condition, returnsChanges = false }) {
      const input = { TableName, Key, UpdateExpression, ...condition };
      const outcome = withServiceErrors(() => evaluate(table, 'Update', input));
      if (outcome.failure === 'condition') throw new ConditionFailedError(itemOf(outcome.before) ?? {});
      if (outcome.failure !== null) throw validationError(outcome.failure);
      table.apply([outcome]);
      return (returnsChanges && itemOf(only(outcome.updatedNames, outcome.after))) || {};
    },
    async updateTogether(TableName, updates) {
      const TransactItems = updates.map(({ key: Key, UpdateExpression, condition }) => ({
        Update: { TableName, Key, UpdateExpression, ...condition },
      }));
      try {
        withServiceErrors(() => transact(table, { TransactItems }));
        return true;
      } catch (error) {
        if (error instanceof TransactionCanceledException) return false;
        throw error;
      }
    },
  };
}

function withServiceErrors<Result>(evaluate: () => Result): Result {
  try {
    return evaluate();
  } catch (error) {
    throw error instanceof ValidationError ? validationError(error) : error;
  }
}

function validationError({ message }: ValidationError): ServiceError {
  return new ServiceError('ValidationException', { status: 400, body: { message } });
}

/** Sends the commands that the product has for tables with a partition key alone. Reads are consistent. */
export function createMemoryClient(table: MemoryTable): DynamoDBDocumentClient {
  const send = async (command: unknown) => {
    try {
      return execute(table, command);
    } catch (error) {
      throw error instanceof ValidationError
        ? new DynamoDBServiceException({ ...exceptionOptions(error.message), name: 'ValidationException' })
        : error;
    }
  };
  return { send } as Pick<DynamoDBDocumentClient, 'send'> as DynamoDBDocumentClient;
}

function execute(table: MemoryTable, command: unknown): object {
  if (command instanceof GetCommand) {
    checkInput(table, command.input);
    return { Item: itemOf(table.find(command.input.Key ?? {})) };
  }
  if (command instanceof BatchGetCommand) return getBatch(table, command.input);
  if (command instanceof TransactWriteCommand) return transact(table, command.input);
  if (command instanceof PutCommand) return write(table, 'Put', command.input);
  if (command instanceof UpdateCommand) return write(table, 'Update', command.input);
  if (command instanceof DeleteCommand) return write(table, 'Delete', command.input);
  throw new Error('The command is not supported by the table in memory');
}

function getBatch(table: MemoryTable, { RequestItems = {} }: BatchGetCommandInput): object {
  const responses = Object.entries(RequestItems).map(([TableName, { Keys = [], ...options }]) => {
    checkInput(table, { TableName, ...options });
    return [TableName, Keys.flatMap((key) => itemOf(table.find(key)) ?? [])] as const;
  });
  return { Responses: Object.fromEntries(responses), UnprocessedKeys: {} };
}

/** Members of the inputs of all kinds of writes. */
interface WriteInput extends Expressions {
  TableName: string | undefined;
  /** A put has an item, every other write a key. */
  Item?: Item;
  Key?: Item;
  ReturnValues?: string;
  ReturnValuesOnConditionCheckFailure?: string;
}

interface EvaluatedWrite extends Outcome {
  input: WriteInput;
}

function evaluate(table: MemoryTable, operation: Write['operation'], input: WriteInput): EvaluatedWrite {
  checkInput(table, input);
  return { ...table.evaluate({ ...input, operation, target: input.Item ?? input.Key ?? {} }), input };
}

function write(table: MemoryTable, operation: Write['operation'], input: WriteInput): object {
  const evaluated = evaluate(table, operation, input);
  if (evaluated.failure === 'condition') {
    const Item = itemOfFailure(evaluated);
    throw new ConditionalCheckFailedException({ ...exceptionOptions(conditionFailed), Item });
  }
  if (evaluated.failure !== null) throw evaluated.failure;
  table.apply([evaluated]);
  return { Attributes: itemOf(returnedAttributes(evaluated)) };
}

/** Applies all writes or none. */
function transact(table: MemoryTable, { TransactItems = [] }: TransactWriteCommandInput): object {
  const writes = TransactItems.map(({ Put, Update, Delete, ConditionCheck }) => {
    if (Put !== undefined) return evaluate(table, 'Put', Put);
    if (Update?.UpdateExpression !== undefined) return evaluate(table, 'Update', Update);
    if (Delete !== undefined) return evaluate(table, 'Delete', Delete);
    if (ConditionCheck !== undefined) return evaluate(table, 'ConditionCheck', ConditionCheck);
    throw new ValidationError('A write of the transaction is missing, or the expression of an update');
  });
  if (new Set(writes.map(({ key }) => key)).size < writes.length) {
    throw new ValidationError('A transaction cannot write an item twice');
  }
  if (writes.some(({ failure }) => failure !== null)) {
    const CancellationReasons = writes.map(cancellationReason);
    throw new TransactionCanceledException({ ...exceptionOptions('Canceled'), CancellationReasons });
  }
  table.apply(writes);
  return {};
}

const conditionFailed = 'The conditional request failed';

function cancellationReason(write: EvaluatedWrite): CancellationReason {
  const { failure } = write;
  if (failure === null) return { Code: 'None' };
  if (failure !== 'condition') return { Code: 'ValidationError', Message: failure.message };
  return { Code: 'ConditionalCheckFailed', Message: conditionFailed, Item: itemOfFailure(write) };
}

function itemOfFailure({ before, input }: EvaluatedWrite): Attributes | undefined {
  return input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? before : undefined;
}

function returnedAttributes({ before, after, updatedNames, input }: EvaluatedWrite): Attributes | undefined {
  switch (input.ReturnValues) {
    case 'ALL_OLD':
      return before;
    case 'ALL_NEW':
      return after;
    case 'UPDATED_OLD':
      return only(updatedNames, before);
    case 'UPDATED_NEW':
      return only(updatedNames, after);
    default:
      return undefined;
  }
}

/** `undefined` without any. */
function only(names: readonly string[], item: Attributes = {}): Attributes | undefined {
  const named = Object.entries(item).filter(([name]) => names.includes(name));
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

function itemOf(attributes: Attributes | undefined): Item | undefined {
  return attributes && fromAttributes(attributes);
}

function exceptionOptions(message: string) {
  return { message, $fault: 'client', $metadata: { httpStatusCode: 400 } } as const;
}

const supportedMembers = new Set([
  'TableName',
  'Key',
  'Item',
  'ConsistentRead',
  'UpdateExpression',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ReturnValues',
  'ReturnValuesOnConditionCheckFailure',
]);

function checkInput(table: MemoryTable, input: { TableName: string | undefined }): void {
  if (input.TableName !== table.name) throw new Error(`There is no table ${input.TableName} in memory`);
  const unsupported = Object.keys(input).filter((member) => !supportedMembers.has(member));
  if (unsupported.length > 0) throw new Error(`Not supported by the table in memory: ${unsupported.join()}`);
}
