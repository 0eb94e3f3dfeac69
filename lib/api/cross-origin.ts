/**
 * Lets pages of the allowed origins call the REST API. The functions compare the origin of each request with the setting:
 * see `lambdas/platform/http/cors.ts`.
 */
import type { Integration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { exposedHeaders } from '#lambdas/platform/http/cors.ts';

/**
 * The headers with which pages of the allowed origins can read an error that API Gateway returns itself. It cannot choose
 * among several origins, so that then all pages can read these errors, which disclose nothing.
 */
export function crossOriginErrorHeaders(allowedOrigins: readonly string[]): Record<string, string> {
  const [first, ...others] = allowedOrigins;
  if (first === undefined) return {};
  return {
    'access-control-allow-origin': others.length === 0 ? first : '*',
    'access-control-expose-headers': exposedHeaders,
  };
}

/** Also for paths that are not routes: otherwise a page would see a network error instead of the 404. */
export function addPreflights({ root }: RestApi, paths: readonly string[], integration: Integration): void {
  for (const path of paths) root.resourceForPath(path).addMethod('OPTIONS', integration);
}
