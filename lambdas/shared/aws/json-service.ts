/**
 * Calls of the AWS services that speak JSON, for the way of a chat request: what the SDK's clients do for it takes them
 * half of all the time of a request, and of a cold start. `docs/performance.md` has the figures.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type JsonObject, parseJsonObject } from '../domain/json.ts';
import { type AwsCaller, endpointOf, type ServiceName } from './access.ts';
import { createPost, type PostReply } from './post.ts';
import { refusalOf, ServiceError } from './service-error.ts';
import { isServiceAway } from './service-failure.ts';
import { createSigner } from './signature.ts';

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

const mostAttempts = 3;
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
          if (waitMs === null || attempt === mostAttempts) throw error;
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
  if (answer === null) throw new ServiceError('HalfAnAnswer', { status });
  return answer;
}

/** Milliseconds; `null` where the same request would be refused again. */
function waitAfter(error: unknown, attempt: number): number | null {
  if (!isServiceAway(error)) return null;
  if (error instanceof ServiceError && error.isStale) return 0;
  // All that failed at once are not to come back at once.
  return Math.random() * 50 * 2 ** attempt;
}
