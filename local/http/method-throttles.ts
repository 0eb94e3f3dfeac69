/**
 * Emulates the method-level throttling of an API Gateway stage with a token bucket for each method.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { Resource } from '../template/template.ts';
import { asList, asObject, asString, type JsonObject } from '../untyped-json.ts';

export interface MethodThrottles {
  /** Counts the request. `resourcePath` is a resource such as `/api/logs/{id}`. */
  admit(method: string, resourcePath: string): boolean;
}

export function readMethodThrottles(stage: Resource, nowMs: () => number): MethodThrottles {
  const buckets = new Map<string, TokenBucket>();
  for (const value of asList(stage.properties.MethodSettings)) {
    const settings = asObject(value, `${stage.logicalId}.MethodSettings`);
    const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = settings;
    if (rate === undefined && burst === undefined) continue;
    const ratePerSecond = readLimit(rate, stage);
    buckets.set(
      methodOf(settings, stage),
      createTokenBucket({ ratePerSecond, burst: readLimit(burst, stage), nowMs }),
    );
  }
  return { admit: (method, resourcePath) => buckets.get(`${method} ${resourcePath}`)?.take() ?? true };
}

/** Throws when a limit is missing: AWS would apply the account-level limit. */
function readLimit(value: unknown, { logicalId }: Resource): number {
  if (typeof value === 'number') return value;
  throw new LocalGatewayError(
    `${logicalId} throttles a method without both ThrottlingRateLimit and ThrottlingBurstLimit`,
  );
}

/** `ResourcePath` is escaped like a JSON pointer, after a slash: `/~1api~1logs`. */
function methodOf({ HttpMethod, ResourcePath }: JsonObject, { logicalId }: Resource): string {
  const method = asString(HttpMethod, `${logicalId}: HttpMethod`);
  const path = asString(ResourcePath, `${logicalId}: ResourcePath`).slice(1).replaceAll('~1', '/');
  if (method === '*' || path === '*') {
    throw new LocalGatewayError(`${logicalId} throttles all methods, which the local run does not emulate`);
  }
  return `${method} ${path}`;
}

interface TokenBucket {
  take(): boolean;
}

function createTokenBucket(settings: {
  burst: number;
  ratePerSecond: number;
  nowMs: () => number;
}): TokenBucket {
  const { burst, ratePerSecond, nowMs } = settings;
  let tokens = burst;
  let filledAtMs = nowMs();
  return {
    take() {
      const elapsedMs = nowMs() - filledAtMs;
      filledAtMs += elapsedMs;
      tokens = Math.min(burst, tokens + (elapsedMs / 1000) * ratePerSecond);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
