/**
 * Size limits of requests and responses, in bytes.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */

/**
 * Lambda's limit for an event, measured as JSON, in which the request's body is a string. Lambda itself refuses a larger one,
 * so a function sees only smaller bodies; an HTTP server must check theirs.
 */
export const maxRequestBytes = 6 * 1024 * 1024;

/** Lambda's limit for a non-streaming response, measured as the JSON that the function returns to API Gateway. */
export const maxResponseBytes = 6_000_000;

/** API Gateway's limit for the body of a request, which it checks before Lambda's. */
export const maxApiGatewayRequestBytes = 10 * 1024 * 1024;

/** In the JSON that a function returns, the body's JSON is a string, so it is escaped a second time. */
export function responseBytes(body: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(body)));
}
