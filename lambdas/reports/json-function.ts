import type { Authenticate } from '#lambdas/access/authenticate.ts';
import { createJsonEndpoint, type JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { withLogContext } from '#lambdas/platform/telemetry/log.ts';

/** Returns the handler of a function. `allowedOrigins` is the JSON of its environment variable. */
export function createJsonFunction(
  allowedOrigins: string,
  authenticate: Authenticate,
  endpoint: JsonEndpoint,
) {
  const cors = createCors(JSON.parse(allowedOrigins));
  return withLogContext(createJsonEndpoint(authenticate, cors, endpoint));
}
