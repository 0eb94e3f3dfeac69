/**
 * The one address at which functions and the administrator reach AWS: DynamoDB, its streams and SQS (passed on to
 * their engines) and Secrets Manager, each call checked against the grants of its caller.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readAccessKeyId } from '../identities.ts';
import { messageOf } from '../local-gateway-error.ts';
import { isObject, parseJson } from '../untyped-json.ts';
import type { Authorizer, Refusal } from './authorization.ts';
import { type AwsCall, sendAwsError, sendAwsJson, sendUnknownOperation } from './aws-call.ts';
import type { DynamoDbProxy } from './dynamodb-proxy.ts';
import type { Grant } from './policies.ts';
import type { SecretsManager } from './secrets-manager.ts';
import type { SqsProxy } from './sqs-proxy.ts';

export function createAwsEndpoint(parts: {
  authorizer: Authorizer;
  dynamoDb: DynamoDbProxy;
  sqs: SqsProxy;
  secretsManager: SecretsManager;
  /** Told of each refused call. */
  onRefusal: (refusal: Refusal) => void;
}): RequestListener {
  return (request, response) => {
    answer(request, response).catch((error) => {
      sendAwsError(response, { status: 500, type: 'InternalServerError', message: messageOf(error) });
    });
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return sendAwsJson(response, { pid: process.pid });
    const rawBody = await readBody(request);
    const [service, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const body = parseJson(rawBody.toString('utf8'));
    if (!isObject(body)) {
      return sendAwsError(response, {
        status: 400,
        type: 'SerializationException',
        message: 'The body is not JSON',
      });
    }
    const authorize = (grants: readonly Grant[]) => {
      const accessKeyId = readAccessKeyId(request.headers.authorization);
      const refusal = parts.authorizer.refusalOf(accessKeyId, grants);
      if (refusal === null) {
        parts.authorizer.recordUse(accessKeyId, grants);
        return true;
      }
      parts.onRefusal(refusal);
      sendRefusal(response, refusal);
      return false;
    };
    const call: AwsCall = { operation, body, rawBody, request, response, authorize };
    if (service?.startsWith('DynamoDB')) return parts.dynamoDb.answer(call);
    if (service === 'AmazonSQS') return parts.sqs.answer(call);
    if (service === 'secretsmanager') return parts.secretsManager.answer(call);
    sendUnknownOperation(response, `${service}.${operation}`);
  }
}

/** The address answers GET with the id of the process that listens, so that a second local run can find the first. */
export async function readEndpointPid(endpoint: string): Promise<number | undefined> {
  try {
    const facts: unknown = await (await fetch(endpoint, { signal: AbortSignal.timeout(1000) })).json();
    return isObject(facts) && typeof facts.pid === 'number' ? facts.pid : undefined;
  } catch {
    return undefined;
  }
}

function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  const type = refusal.kind === 'access denied' ? 'AccessDeniedException' : 'UnrecognizedClientException';
  sendAwsError(response, { status: 400, type, message: refusal.message });
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
