/**
 * Calls AWS services that have a JSON protocol. The chat path uses this instead of the AWS SDK, whose clients would
 * take half of the gateway's time per request and of a cold start. See `docs/performance.md`.
 */

import http from 'node:http';
import https from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';
import { type JsonObject, parseJsonObject } from '../json/json.ts';
import { type AwsClientOptions, endpointOf, type ServiceName } from './access.ts';
import { isThrottled, isTransient, parseServiceError, ServiceError } from './errors.ts';
import { createSigner } from './sigv4.ts';

export interface JsonService {
  /** Rejects with a `ServiceError`. `timeoutMs` limits all attempts together; each also has its own timeout. */
  call(
    operation: string,
    input: JsonObject | string,
    timeoutMs?: number,
    retries?: Retries,
  ): Promise<JsonObject>;
}

/** `throttled` retries only calls that the service has rejected: others may have had an effect. */
export type Retries = 'any' | 'throttled';

const services = {
  dynamodb: { namespace: 'DynamoDB_20120810', contentType: 'application/x-amz-json-1.0' },
  events: { namespace: 'AWSEvents', contentType: 'application/x-amz-json-1.1' },
  logs: { namespace: 'Logs_20140328', contentType: 'application/x-amz-json-1.1' },
  secretsmanager: { namespace: 'secretsmanager', contentType: 'application/x-amz-json-1.1' },
  sqs: { namespace: 'AmazonSQS', contentType: 'application/x-amz-json-1.0' },
} as const satisfies Partial<Record<ServiceName, object>>;

const maxAttempts = 3;
const defaultAttemptTimeoutMs = 1500;

interface JsonServiceOptions extends AwsClientOptions {
  service: keyof typeof services;
  attemptTimeoutMs?: number;
}

export function createJsonService({
  service,
  access,
  now,
  attemptTimeoutMs = defaultAttemptTimeoutMs,
}: JsonServiceOptions): JsonService {
  const { namespace, contentType } = services[service];
  const endpoint = endpointOf(service, access);
  const post = createPost(endpoint);
  const sign = createSigner({ ...access, service, host: endpoint.host, contentType });
  return {
    async call(operation, input, timeoutMs = Number.POSITIVE_INFINITY, retries = 'any') {
      const body = typeof input === 'string' ? input : JSON.stringify(input);
      let remainingMs = timeoutMs;
      for (let attempt = 1; ; attempt++) {
        const at = now();
        const limitMs = Math.min(attemptTimeoutMs, remainingMs);
        try {
          if (limitMs <= 0) throw new ServiceError('TimeoutError', { status: null });
          return readOutput(await post(sign(`${namespace}.${operation}`, body, at), body, limitMs));
        } catch (error) {
          if (error instanceof ServiceError) error.call = `${service}.${operation}`;
          const delayMs = retries === 'any' || isThrottled(error) ? retryDelayMs(error, attempt) : null;
          if (delayMs === null || attempt === maxAttempts) throw error;
          // At most the attempt's timeout: while Lambda freezes the function during a call, the clock keeps running.
          remainingMs -= Math.min(limitMs, now().getTime() - at.getTime()) + delayMs;
          if (remainingMs <= 0) throw error;
          await wait(delayMs);
        }
      }
    },
  };
}

function readOutput({ status, body }: PostResponse): JsonObject {
  if (status >= 300) throw parseServiceError(status, body);
  const output = parseJsonObject(body);
  if (output === null) throw new ServiceError('TruncatedResponse', { status });
  return output;
}

function retryDelayMs(error: unknown, attempt: number): number | null {
  if (!isTransient(error)) return null;
  if (error instanceof ServiceError && error.isStale) return 0;
  // Exponential backoff with full jitter.
  return Math.random() * 50 * 2 ** attempt;
}

interface PostResponse {
  status: number;
  body: string;
}

/** Rejects with a `ServiceError` when the connection fails or the response is not complete after `timeoutMs`. */
type Post = (headers: Record<string, string>, body: string, timeoutMs: number) => Promise<PostResponse>;

/** A process with many concurrent requests must not open a connection for each. */
const maxSockets = 50;

export function createPost(endpoint: URL): Post {
  const { request, Agent } = endpoint.protocol === 'http:' ? http : https;
  const options = {
    ...urlToHttpOptions(endpoint),
    method: 'POST',
    agent: new Agent({ keepAlive: true, maxSockets }),
  };
  return (headers, body, timeoutMs) =>
    new Promise((resolve, reject) => {
      const outgoing = request({ ...options, headers });
      const timeout = setTimeout(() => {
        // Reject here: a request that is already destroyed emits no `error` event.
        reject(new ServiceError('TimeoutError', { status: null }));
        outgoing.destroy();
      }, timeoutMs);
      const fail = ({ code = 'NoResponse' }: NodeJS.ErrnoException) => {
        clearTimeout(timeout);
        reject(new ServiceError(code, { status: null, isStale: outgoing.reusedSocket }));
      };
      outgoing.on('error', fail);
      outgoing.once('response', (incoming) => {
        let responseBody = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => {
          responseBody += chunk;
        });
        incoming.once('error', fail);
        incoming.once('end', () => {
          clearTimeout(timeout);
          resolve({ status: incoming.statusCode ?? 0, body: responseBody });
        });
      });
      outgoing.end(body);
    });
}
