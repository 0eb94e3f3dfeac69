/** Errors of calls to AWS services, in the shape of the AWS SDK's own, and which of them are transient. */
import { type JsonObject, parseJsonObject } from '../json/json.ts';

export interface ServiceErrorDetails {
  /** `null` where there was no answer. */
  status: number | null;
  /** The service's error body, which may quote our data. */
  reason?: JsonObject;
  /** The connection was reused: services close idle ones, so its failure does not count as theirs. */
  isStale?: boolean;
}

export class ServiceError extends Error {
  readonly $metadata: { httpStatusCode?: number };
  readonly reason: JsonObject;
  readonly isStale: boolean;

  constructor(name: string, { status, reason = {}, isStale = false }: ServiceErrorDetails) {
    super('The call to the AWS service failed');
    this.name = name;
    this.$metadata = status === null ? {} : { httpStatusCode: status };
    this.reason = reason;
    this.isStale = isStale;
  }
}

/** `__type` has a namespace: `com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException`. */
export function parseServiceError(status: number, body: string): ServiceError {
  const reason = parseJsonObject(body) ?? {};
  const type = typeof reason.__type === 'string' ? reason.__type : 'UnknownError';
  return new ServiceError(type.slice(type.indexOf('#') + 1), { status, reason });
}

/** Throttling has the status 400, as a wrong request does. */
const throttling = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'ThrottlingException',
]);

/** Whether the same call may succeed later. Only errors of AWS calls, the SDK's too, have `$metadata`. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  const { httpStatusCode } = error.$metadata as { httpStatusCode?: number };
  // No status: no connection, or no response in time. A status of success: a truncated response.
  const isRefusal = httpStatusCode !== undefined && httpStatusCode >= 300 && httpStatusCode < 500;
  return !isRefusal || throttling.has(error.name);
}
