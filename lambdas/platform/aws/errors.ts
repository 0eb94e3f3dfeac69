/** Errors of calls to AWS services, in the same shape as the AWS SDK's errors. */
import { type JsonObject, parseJsonObject } from '../json/json.ts';

interface ServiceErrorDetails {
  status: number | null;
  /** The body of the error response, which may quote our data. */
  body?: JsonObject;
  /** True when a reused connection failed. Services close idle connections, so the service itself may be available. */
  isStale?: boolean;
}

export class ServiceError extends Error {
  readonly $metadata: { httpStatusCode?: number };
  readonly body: JsonObject;
  readonly isStale: boolean;
  /** Service and operation, such as `dynamodb.GetItem`. */
  call?: string;

  constructor(name: string, { status, body = {}, isStale = false }: ServiceErrorDetails) {
    super('The call to the AWS service failed');
    this.name = name;
    this.$metadata = status === null ? {} : { httpStatusCode: status };
    this.body = body;
    this.isStale = isStale;
  }
}

/** Removes the namespace of `__type`, such as `com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException`. */
export function parseServiceError(status: number, text: string): ServiceError {
  const body = parseJsonObject(text) ?? {};
  const type = typeof body.__type === 'string' ? body.__type : 'UnknownError';
  return new ServiceError(type.slice(type.indexOf('#') + 1), { status, body });
}

/** Errors of requests that had no effect and can be repeated. They have the status 400, like errors of the request itself. */
const throttling = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'ThrottlingException',
  // A transaction is writing the same item.
  'TransactionConflictException',
]);

/** True when a retry may succeed. Only errors of AWS calls, including the SDK's errors, have `$metadata`. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  const { httpStatusCode } = error.$metadata as { httpStatusCode?: number };
  // Without a status, the connection failed or timed out. With a status of success, the response was truncated.
  const isRejected = httpStatusCode !== undefined && httpStatusCode >= 300 && httpStatusCode < 500;
  return !isRejected || isThrottled(error);
}

export function isThrottled(error: unknown): boolean {
  return error instanceof Error && throttling.has(error.name);
}
