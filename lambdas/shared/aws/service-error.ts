/** What a call of an AWS service ends with that was refused, or had no answer; in the form of the AWS SDK's own errors. */
import { type JsonObject, parseJsonObject } from '../domain/json.ts';

export interface ServiceErrorDetails {
  /** `null` where there was no answer. */
  status: number | null;
  /** What the service says of its refusal; it may hold data of ours. */
  reason?: JsonObject;
  /** The connection was a kept one: that it broke says nothing of the service, which closes those that are idle. */
  isStale?: boolean;
}

export class ServiceError extends Error {
  readonly $metadata: { httpStatusCode?: number };
  readonly reason: JsonObject;
  readonly isStale: boolean;

  constructor(name: string, { status, reason = {}, isStale = false }: ServiceErrorDetails) {
    super('A call of AWS has failed');
    this.name = name;
    this.$metadata = status === null ? {} : { httpStatusCode: status };
    this.reason = reason;
    this.isStale = isStale;
  }
}

/** A refusal names its kind behind a namespace: `com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException`. */
export function refusalOf(status: number, body: string): ServiceError {
  const reason = parseJsonObject(body) ?? {};
  const type = typeof reason.__type === 'string' ? reason.__type : 'UnknownError';
  return new ServiceError(type.slice(type.indexOf('#') + 1), { status, reason });
}
