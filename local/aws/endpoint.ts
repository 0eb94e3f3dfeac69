/**
 * The local AWS endpoint for functions and the administrator. It authorizes each call, forwards DynamoDB, DynamoDB
 * Streams and SQS calls to their engines, and emulates CloudWatch Logs, Cognito, EventBridge, Secrets Manager, SES and STS.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { LocalUserPool } from '../cognito/start.ts';
import { readAccessKeyId } from '../identities.ts';
import { messageOf } from '../local-gateway-error.ts';
import type { AuthorizationFailure, Authorizer } from '../permissions/authorization.ts';
import type { Grant } from '../permissions/policies.ts';
import { isObject, parseJson } from '../untyped-json.ts';
import { type AwsCall, sendAwsError, sendAwsJson, sendUnknownOperation } from './call.ts';
import type { CloudWatchLogs } from './cloudwatch-logs.ts';
import type { DynamoDbProxy } from './dynamodb/proxy.ts';
import type { EventBridge } from './event-bridge.ts';
import type { SecretsManager } from './secrets-manager.ts';
import { isSesRequest, type MailService } from './ses.ts';
import type { SqsProxy } from './sqs/proxy.ts';
import { handleStsCall, isStsRequest } from './sts.ts';

export function createAwsEndpoint(options: {
  authorizer: Authorizer;
  cloudWatchLogs: CloudWatchLogs;
  dynamoDb: DynamoDbProxy;
  eventBridge: EventBridge;
  sqs: SqsProxy;
  secretsManager: SecretsManager;
  /** `null` when the template has none. */
  userPool: Pick<LocalUserPool, 'handle'> | null;
  /** `null` without a user pool, which has the mailbox. */
  ses: MailService | null;
  onAuthorizationFailure: (failure: AuthorizationFailure) => void;
}): RequestListener {
  return (request, response) => {
    handle(request, response).catch((error) => {
      sendAwsError(response, { status: 500, type: 'InternalServerError', message: messageOf(error) });
    });
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return sendAwsJson(response, { pid: process.pid });
    const rawBody = await readBody(request);
    if (isStsRequest(request)) {
      const callerArn = options.authorizer.findCallerArn(readAccessKeyId(request.headers.authorization));
      return handleStsCall({ rawBody, callerArn, response });
    }
    const [service, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const body = parseJson(rawBody.toString('utf8'));
    if (!isObject(body)) {
      return sendAwsError(response, {
        status: 400,
        type: 'SerializationException',
        message: 'The request body is not a JSON object',
      });
    }
    const authorize = (grants: readonly Grant[]) => {
      const accessKeyId = readAccessKeyId(request.headers.authorization);
      const failure = options.authorizer.findAuthorizationFailure(accessKeyId, grants);
      if (failure === null) {
        options.authorizer.recordUse(accessKeyId, grants);
        return true;
      }
      options.onAuthorizationFailure(failure);
      sendAuthorizationFailure(response, failure);
      return false;
    };
    const call: AwsCall = { operation, body, rawBody, request, response, authorize };
    if (isSesRequest(request) && options.ses !== null) return options.ses.handle(call);
    if (service?.startsWith('DynamoDB')) return options.dynamoDb.handle(call);
    if (service === 'AWSEvents') return options.eventBridge.handle(call);
    if (service === 'Logs_20140328') return options.cloudWatchLogs.handle(call);
    if (service === 'AmazonSQS') return options.sqs.handle(call);
    if (service === 'secretsmanager') return options.secretsManager.handle(call);
    if (service === 'AWSCognitoIdentityProviderService' && options.userPool !== null) {
      return options.userPool.handle(call);
    }
    sendUnknownOperation(response, `${service}.${operation}`);
  }
}

/** Reads the process id that the endpoint returns to GET, by which a second local run detects the first. */
export async function readEndpointPid(endpoint: string): Promise<number | undefined> {
  try {
    const body: unknown = await (await fetch(endpoint, { signal: AbortSignal.timeout(1000) })).json();
    return isObject(body) && typeof body.pid === 'number' ? body.pid : undefined;
  } catch {
    return undefined;
  }
}

function sendAuthorizationFailure(response: ServerResponse, failure: AuthorizationFailure): void {
  const type = failure.kind === 'access denied' ? 'AccessDeniedException' : 'UnrecognizedClientException';
  sendAwsError(response, { status: 400, type, message: failure.message });
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
