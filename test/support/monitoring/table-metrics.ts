/** Reads from calls of DynamoDB what its metrics need. */
import { asList, isObject, type JsonObject, parseJson } from '#local/untyped-json.ts';

const throttlingErrors = [
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
];

/** The tables of a single operation, a batch or a transaction; none for operations on streams. */
export function tablesOf(body: JsonObject): string[] {
  const inTransaction = asList(body.TransactItems).flatMap((item) =>
    Object.values(isObject(item) ? item : {}).map((part) => (isObject(part) ? part.TableName : undefined)),
  );
  const inBatch = Object.keys(isObject(body.RequestItems) ? body.RequestItems : {});
  const names = [body.TableName, ...inBatch, ...inTransaction].filter((name) => typeof name === 'string');
  return [...new Set(names.map((name) => name.replace(/^.*table\//, '')))];
}

export function isRead(operation: string): boolean {
  return /Get|Query|Scan/.test(operation);
}

export function isThrottled(responseBody: string): boolean {
  const response = parseJson(responseBody);
  const type = isObject(response) ? String(response.__type).split('#').at(-1) : undefined;
  return type !== undefined && throttlingErrors.includes(type);
}
