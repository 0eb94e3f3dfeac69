/** Asks the local AWS endpoint who is calling, with the AWS SDK. */
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpListener, openHttpListener } from '#local/listeners/http-listener.ts';
import { createEndpointFixture } from './endpoint-fixture.ts';

let listener: HttpListener;

beforeAll(async () => {
  listener = await openHttpListener(0);
  listener.serve(createEndpointFixture({ callers: { reader: [] } }));
});
afterAll(() => listener?.close());

async function callerIdentity(accessKeyId: string) {
  const credentials = { accessKeyId, secretAccessKey: 'any' };
  const client = new STSClient({ endpoint: listener.origin, region: 'us-east-1', credentials });
  try {
    const { $metadata: _, ...identity } = await client.send(new GetCallerIdentityCommand());
    return identity;
  } finally {
    client.destroy();
  }
}

it.each([
  ['the administrator', 'local-admin', 'arn:aws:iam::000000000000:user/local-admin', 'local-admin'],
  [
    'a function without any permission',
    'reader',
    'arn:aws:sts::000000000000:assumed-role/ReaderRole/Reader',
    'ReaderRole:Reader',
  ],
])('identifies %s', async (_, accessKeyId, Arn, UserId) => {
  expect(await callerIdentity(accessKeyId)).toEqual({ Account: '000000000000', Arn, UserId });
});

it('rejects an unknown access key', async () => {
  await expect(callerIdentity('unknown')).rejects.toMatchObject({
    name: 'InvalidClientTokenId',
    message: 'The security token included in the request is invalid.',
    $metadata: { httpStatusCode: 403 },
  });
});

it('rejects other actions', async () => {
  const body = new URLSearchParams({ Action: 'GetSessionToken', Version: '2011-06-15' });

  const response = await fetch(listener.origin, { method: 'POST', body });

  expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
    status: 400,
    type: 'text/xml',
  });
  expect(await response.text()).toContain('<Code>InvalidAction</Code>');
});
