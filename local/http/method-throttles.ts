/**
 * The limits of single methods that a stage sets, as API Gateway holds them: a bucket of tokens for each.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { Resource } from '../template/template.ts';
import { asList, asObject, asText, type JsonObject } from '../untyped-json.ts';

export interface MethodThrottles {
  /** `resourcePath` such as `/api/logs/{id}`. Counts the request. */
  admit(method: string, resourcePath: string): boolean;
}

/** `now` in milliseconds. */
export function readMethodThrottles(stage: Resource, now: () => number): MethodThrottles {
  const buckets = new Map<string, TokenBucket>();
  for (const value of asList(stage.properties.MethodSettings)) {
    const settings = asObject(value, `${stage.logicalId}.MethodSettings`);
    const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = settings;
    if (rate === undefined && burst === undefined) continue;
    const ratePerSecond = readLimit(rate, stage);
    buckets.set(
      methodOf(settings, stage),
      createTokenBucket({ ratePerSecond, burst: readLimit(burst, stage), now }),
    );
  }
  return { admit: (method, resourcePath) => buckets.get(`${method} ${resourcePath}`)?.take() ?? true };
}

/** What is not said is up to the account. */
function readLimit(value: unknown, { logicalId }: Resource): number {
  if (typeof value === 'number') return value;
  throw new LocalGatewayError(`${logicalId} throttles a method without both a rate and a burst`);
}

/** The path is written as in a JSON pointer, after a slash: `/~1api~1logs`. */
function methodOf({ HttpMethod, ResourcePath }: JsonObject, { logicalId }: Resource): string {
  const method = asText(HttpMethod, `${logicalId}: HttpMethod`);
  const path = asText(ResourcePath, `${logicalId}: ResourcePath`).slice(1).replaceAll('~1', '/');
  if (method === '*' || path === '*') {
    throw new LocalGatewayError(`${logicalId} throttles all methods, which the local run does not emulate`);
  }
  return `${method} ${path}`;
}

/** Admits so many at once, and so many a second from then on. */
export interface TokenBucket {
  /** `false` when there is none left. */
  take(): boolean;
}

export function createTokenBucket(settings: {
  burst: number;
  ratePerSecond: number;
  /** In milliseconds. */
  now: () => number;
}): TokenBucket {
  const { burst, ratePerSecond, now } = settings;
  let tokens = burst;
  let filledAt = now();
  return {
    take() {
      const elapsedMs = now() - filledAt;
      filledAt += elapsedMs;
      tokens = Math.min(burst, tokens + (elapsedMs / 1000) * ratePerSecond);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
