import type { APIGatewayProxyEvent } from 'aws-lambda';

/** An event of the REST API, with the fields that the gateway reads. */
export function proxyEvent(fields: Partial<APIGatewayProxyEvent> = {}): APIGatewayProxyEvent {
  const event: Partial<APIGatewayProxyEvent> = {
    httpMethod: 'GET',
    resource: '/',
    headers: {},
    multiValueHeaders: {},
    requestContext: { identity: { sourceIp: '127.0.0.1' } } as APIGatewayProxyEvent['requestContext'],
    ...fields,
  };
  return event as APIGatewayProxyEvent;
}
