/**
 * Responses to `HEAD` requests for a base URL, which clients such as Claude Code send at their start:
 * https://code.claude.com/docs/en/llm-gateway-protocol. API Gateway sends them itself, without a function or a key.
 */
import { MockIntegration, PassthroughBehavior, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { baseUrlPaths } from '#lambdas/inference/routes.ts';
import { type Headers, responseHeaders } from './rest-errors.ts';

/** The responses have `headers` in addition to the id of the request. */
export function addBaseUrlChecks({ root }: RestApi, headers: Headers): void {
  const parameters = Object.entries(responseHeaders(headers)).map(
    ([name, value]) => [`method.response.header.${name}`, value] as const,
  );
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: { 'application/json': '{"statusCode":200}' },
    integrationResponses: [{ statusCode: '200', responseParameters: Object.fromEntries(parameters) }],
  });
  const methodResponses = [
    { statusCode: '200', responseParameters: Object.fromEntries(parameters.map(([name]) => [name, true])) },
  ];
  for (const path of baseUrlPaths) {
    const resource = path === '/' ? root : root.resourceForPath(path);
    resource.addMethod('HEAD', integration, { methodResponses });
  }
}
