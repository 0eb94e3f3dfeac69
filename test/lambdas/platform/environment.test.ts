import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readAwsAccess, readEnvironment } from '#lambdas/platform/environment.ts';

/** The environment that Lambda gives a function, and none of what this machine may have. */
beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'token');
  for (const name of ['', '_BEDROCK_RUNTIME', '_DYNAMODB', '_SECRETS_MANAGER', '_SQS'])
    vi.stubEnv(`AWS_ENDPOINT_URL${name}`, undefined);
});
afterEach(() => void vi.unstubAllEnvs());

describe('the environment of a function', () => {
  it('is what is asked for', () => {
    vi.stubEnv('TABLE', 'LogEntries');

    expect(readEnvironment('TABLE', 'AWS_REGION')).toEqual({ TABLE: 'LogEntries', AWS_REGION: 'eu-west-1' });
  });

  it('is refused when it lacks a name', () => {
    expect(() => readEnvironment('AWS_REGION', 'NOT_THERE')).toThrow(
      new Error('The environment variable NOT_THERE is not set'),
    );
  });
});

describe('the access to AWS', () => {
  it('is that of the role, to the services of its region', () => {
    expect(readAwsAccess()).toEqual({
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' },
      endpoints: {},
    });
  });

  it('is to one address for all services, and to another for those that have their own', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', 'http://127.0.0.1:2');

    expect(readAwsAccess().endpoints).toEqual({
      'bedrock-runtime': 'http://127.0.0.1:1',
      dynamodb: 'http://127.0.0.1:1',
      secretsmanager: 'http://127.0.0.1:2',
      sqs: 'http://127.0.0.1:1',
    });

    vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', 'http://127.0.0.1:5');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:3');
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', 'http://127.0.0.1:4');

    expect(readAwsAccess().endpoints).toMatchObject({
      'bedrock-runtime': 'http://127.0.0.1:5',
      dynamodb: 'http://127.0.0.1:3',
      sqs: 'http://127.0.0.1:4',
    });
  });

  it('takes what is empty as not set, as the AWS SDK does', () => {
    for (const name of ['AWS_SESSION_TOKEN', 'AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB'])
      vi.stubEnv(name, '');

    expect(readAwsAccess()).toMatchObject({
      credentials: { sessionToken: undefined },
      endpoints: { dynamodb: undefined, secretsmanager: undefined },
    });
  });
});
