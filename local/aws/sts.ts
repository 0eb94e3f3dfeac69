/**
 * Emulates `GetCallerIdentity` of AWS STS, which needs no permission. STS has the query protocol: its requests are forms, its
 * responses XML (https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html).
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { localAccountId } from '../identities.ts';

interface StsCall {
  rawBody: Buffer;
  /** `null` for an unknown access key. */
  callerArn: string | null;
  response: ServerResponse;
}

/** No other service that the local run emulates has forms as requests. */
export function isStsRequest({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
}

const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/';

const unknownAction = errorResponse(400, {
  code: 'InvalidAction',
  message: 'The local run emulates only the action GetCallerIdentity',
});

export function handleStsCall({ rawBody, callerArn, response }: StsCall): void {
  const action = new URLSearchParams(rawBody.toString('utf8')).get('Action');
  const { status, body } = action === 'GetCallerIdentity' ? callerIdentity(callerArn) : unknownAction;
  response.writeHead(status, { 'content-type': 'text/xml' });
  response.end(body);
}

interface StsResponse {
  status: number;
  body: string;
}

function callerIdentity(callerArn: string | null): StsResponse {
  if (callerArn === null) {
    const message = 'The security token included in the request is invalid.';
    return errorResponse(403, { code: 'InvalidClientTokenId', message });
  }
  // Like the unique ids of AWS: that of a role ends with the name of its session.
  const userId = callerArn.split('/').slice(1).join(':');
  return {
    status: 200,
    body: `<GetCallerIdentityResponse xmlns="${namespace}"><GetCallerIdentityResult><Arn>${callerArn}</Arn><UserId>${userId}</UserId><Account>${localAccountId}</Account></GetCallerIdentityResult><ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></GetCallerIdentityResponse>`,
  };
}

function errorResponse(status: number, { code, message }: { code: string; message: string }): StsResponse {
  return {
    status,
    body: `<ErrorResponse xmlns="${namespace}"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>${randomUUID()}</RequestId></ErrorResponse>`,
  };
}
