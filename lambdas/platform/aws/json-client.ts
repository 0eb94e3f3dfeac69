/**
 * Calls of the AWS services that speak JSON, for the way of a chat request: what the SDK's clients do for it takes them
 * half of all the time of a request, and of a cold start. `docs/performance.md` has the figures.
 */

import http from 'node:http';
import https from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';
import { type JsonObject, parseJsonObject } from '../json/json.ts';
import { type AwsCaller, endpointOf, type ServiceName } from './access.ts';
import { createSigner } from './sigv4.ts';
import { isServiceAway } from './unavailable.ts';
export interface JsonService {
  /**
   * The input is an object or its JSON. Rejects with a `ServiceError`. Each attempt has its own time; `withinMs` is for
   * all of them together.
   */
  call(operation: string, input: JsonObject | string, withinMs?: number): Promise<JsonObject>;
}

/** The namespaces of their actions, and the JSON that they speak. */
const services = {
  dynamodb: { namespace: 'DynamoDB_20120810', contentType: 'application/x-amz-json-1.0' },
  secretsmanager: { namespace: 'secretsmanager', contentType: 'application/x-amz-json-1.1' },
  sqs: { namespace: 'AmazonSQS', contentType: 'application/x-amz-json-1.0' },
} as const satisfies Partial<Record<ServiceName, object>>;

const maxAttempts = 3;
const attemptMs = 1500;

export interface JsonServiceOptions extends AwsCaller {
  service: keyof typeof services;
}

export function createJsonService({ service, access, now }: JsonServiceOptions): JsonService {
  const { namespace, contentType } = services[service];
  const endpoint = endpointOf(service, access);
  const post = createPost(endpoint);
  const sign = createSigner({ ...access, service, host: endpoint.host, contentType });
  return {
    async call(operation, input, withinMs = Number.POSITIVE_INFINITY) {
      if (withinMs <= 0) throw new ServiceError('TimeoutError', { status: null });
      const body = typeof input === 'string' ? input : JSON.stringify(input);
      let leftMs = withinMs;
      for (let attempt = 1; ; attempt++) {
        const at = now();
        const timeoutMs = Math.min(attemptMs, leftMs);
        try {
          return readReply(await post(sign(`${namespace}.${operation}`, body, at), body, timeoutMs));
        } catch (error) {
          const waitMs = waitAfter(error, attempt);
          if (waitMs === null || attempt === maxAttempts) throw error;
          // No more than it was given: between two requests a function is frozen, with a call under way, and clocks go on.
          leftMs -= Math.min(timeoutMs, now().getTime() - at.getTime()) + waitMs;
          if (leftMs <= 0) throw error;
          await wait(waitMs);
        }
      }
    },
  };
}

function readReply({ status, body }: PostReply): JsonObject {
  if (status >= 300) throw refusalOf(status, body);
  const answer = parseJsonObject(body);
  if (answer === null) throw new ServiceError('TruncatedResponse', { status });
  return answer;
}

/** Milliseconds; `null` where the same request would be refused again. */
function waitAfter(error: unknown, attempt: number): number | null {
  if (!isServiceAway(error)) return null;
  if (error instanceof ServiceError && error.isStale) return 0;
  // All that failed at once are not to come back at once.
  return Math.random() * 50 * 2 ** attempt;
}

// One request to an AWS service over a connection that is kept.

export interface PostReply {
  status: number;
  body: string;
}

/** Rejects with a `ServiceError` when there is no answer, or not all of it, after so many milliseconds. */
export type Post = (headers: Record<string, string>, body: string, timeoutMs: number) => Promise<PostReply>;

/** One function needs one or two; a process with many concurrent requests must not open one for each. */
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
        // Reject here: a request that is already destroyed emits no error.
        reject(new ServiceError('TimeoutError', { status: null }));
        outgoing.destroy();
      }, timeoutMs);
      const fail = ({ code = 'NoAnswer' }: NodeJS.ErrnoException) => {
        clearTimeout(timeout);
        reject(new ServiceError(code, { status: null, isStale: outgoing.reusedSocket }));
      };
      outgoing.on('error', fail);
      outgoing.once('response', (incoming) => {
        let answer = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (piece: string) => {
          answer += piece;
        });
        incoming.once('error', fail);
        incoming.once('end', () => {
          clearTimeout(timeout);
          resolve({ status: incoming.statusCode ?? 0, body: answer });
        });
      });
      outgoing.end(body);
    });
}

// What a call of an AWS service ends with that was refused, or had no answer; in the form of the AWS SDK's own errors.

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
