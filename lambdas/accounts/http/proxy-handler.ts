/** Adapts a function of the dashboard to API Gateway, and turns errors into responses. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { renderError, toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { type DashboardRequest, readDashboardRequest } from './dashboard-request.ts';
import { type DashboardResponse, toProxyResult } from './dashboard-response.ts';

export type ProxyHandler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

export function createProxyHandler(
  respond: (request: DashboardRequest) => Promise<DashboardResponse>,
): ProxyHandler {
  return async (event) => {
    try {
      return toProxyResult(await respond(readDashboardRequest(event)));
    } catch (error) {
      const { statusCode: status, ...response } = renderError(toGatewayError(error));
      return toProxyResult({ status, ...response });
    }
  };
}
