/**
 * Size limits of requests and responses, in bytes.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */

/** The limit for the body of a request to a function, which is lower than that of the REST API. */
export const maxRequestBytes = 6 * 1024 * 1024;

/** The limit for a function's non-streaming response, measured as the JSON that it returns to API Gateway. */
export const maxResponseBytes = 6_000_000;

export const maxApiGatewayRequestBytes = 10 * 1024 * 1024;

/** Returns the size of a non-streaming response with this body: JSON that contains the body's JSON as a string. */
export function responseBytes(body: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(body)));
}
