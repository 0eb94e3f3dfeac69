/** Serves an account on loopback: one server for all services, as with the variable `AWS_ENDPOINT_URL`. */

import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '#test/support/http/listen.ts';
import { callerArn, type DeploymentAccount } from './account.ts';
import { respondToQuery } from './cloudformation.ts';
import { jsonOperations } from './json-services.ts';
import { jsonProtocol, type Protocol, type ServiceResponse, xmlProtocol } from './responses.ts';
import { findRestOperation } from './rest-services.ts';

interface AccountServer {
  /** Without credentials, and without the AWS configuration of this machine. */
  environment: Record<string, string>;
  stop(): Promise<void>;
}

export async function startAccount(account: DeploymentAccount): Promise<AccountServer> {
  const server = createServer(async (request, response) => {
    const { status, headers, body } = respond(account, request, await text(request));
    response.writeHead(status, headers).end(body);
  });
  const { address, stop } = await listen(server);
  return {
    environment: {
      AWS_ENDPOINT_URL: `http://${address}`,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    },
    stop,
  };
}

function respond(account: DeploymentAccount, request: IncomingMessage, body: string): ServiceResponse {
  const { action, protocol, respond } = findOperation(request, body);
  account.calls.push(action);
  if (account.credentialError !== null)
    return protocol.error({ status: 403, code: account.credentialError, message: 'Refused' });
  if (account.denied.has(action)) return denied(protocol, action);
  return respond(account);
}

interface ServiceOperation {
  action: string;
  protocol: Protocol;
  respond(account: DeploymentAccount): ServiceResponse;
}

function findOperation({ headers, url = '/' }: IncomingMessage, body: string): ServiceOperation {
  const target = headers['x-amz-target'];
  if (target !== undefined) return findJsonOperation(String(target), body);
  const { pathname } = new URL(url, 'http://localhost');
  if (pathname !== '/') return findRestOperation(pathname);
  const query = new URLSearchParams(body);
  const action = query.get('Action') ?? '';
  const service = action === 'GetCallerIdentity' ? 'sts' : 'cloudformation';
  return {
    action: `${service}:${action}`,
    protocol: xmlProtocol,
    respond: (account) => respondToQuery(account, query),
  };
}

/** IAM's prefixes by the first part of `X-Amz-Target`. */
const jsonServices: Record<string, string> = {
  AmazonSSM: 'ssm',
  DynamoDB_20120810: 'dynamodb',
  AWSCognitoIdentityProviderService: 'cognito-idp',
  AmazonSQS: 'sqs',
  secretsmanager: 'secretsmanager',
  Logs_20140328: 'logs',
};

function findJsonOperation(target: string, body: string): ServiceOperation {
  const [service = '', name = ''] = target.split('.');
  const action = `${jsonServices[service]}:${name}`;
  const operation = jsonOperations[action];
  if (operation === undefined) throw new Error(`Unsupported operation ${target}`);
  return { action, protocol: jsonProtocol, respond: (account) => operation(account, JSON.parse(body)) };
}

function denied(protocol: Protocol, action: string): ServiceResponse {
  const code = protocol === xmlProtocol ? 'AccessDenied' : 'AccessDeniedException';
  const message = `User: ${callerArn} is not authorized to perform: ${action} because no identity-based policy allows the action`;
  return protocol.error({ status: 403, code, message });
}
