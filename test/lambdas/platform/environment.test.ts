import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readAwsAccess, readEnvironment } from '#lambdas/platform/environment.ts';

/** The environment variables that Lambda sets, without those of this machine. */
beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'token');
  const services = [
    'BEDROCK_RUNTIME',
    'CLOUDWATCH_LOGS',
    'DYNAMODB',
    'EVENTBRIDGE',
    'SECRETS_MANAGER',
    'SQS',
  ];
  for (const name of ['', ...services.map((service) => `_${service}`)])
    vi.stubEnv(`AWS_ENDPOINT_URL${name}`, undefined);
});
afterEach(() => void vi.unstubAllEnvs());

describe('readEnvironment', () => {
  it('returns the requested variables', () => {
    vi.stubEnv('TABLE', 'LogEntries');

    expect(readEnvironment('TABLE', 'AWS_REGION')).toEqual({ TABLE: 'LogEntries', AWS_REGION: 'eu-west-1' });
  });

  it('throws when a variable is not set', () => {
    expect(() => readEnvironment('AWS_REGION', 'NOT_THERE')).toThrow(
      new Error('The environment variable NOT_THERE is not set'),
    );
  });
});

describe('readAwsAccess', () => {
  it("reads the role's credentials and the region", () => {
    expect(readAwsAccess()).toEqual({
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' },
      endpoints: {},
    });
  });

  it('prefers the endpoint variable of a service over the general one', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', 'http://127.0.0.1:2');

    expect(readAwsAccess().endpoints).toEqual({
      'bedrock-runtime': 'http://127.0.0.1:1',
      dynamodb: 'http://127.0.0.1:1',
      events: 'http://127.0.0.1:1',
      logs: 'http://127.0.0.1:1',
      secretsmanager: 'http://127.0.0.1:2',
      sqs: 'http://127.0.0.1:1',
    });

    vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', 'http://127.0.0.1:5');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:3');
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', 'http://127.0.0.1:4');
    vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', 'http://127.0.0.1:6');
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH_LOGS', 'http://127.0.0.1:7');

    expect(readAwsAccess().endpoints).toMatchObject({
      'bedrock-runtime': 'http://127.0.0.1:5',
      dynamodb: 'http://127.0.0.1:3',
      sqs: 'http://127.0.0.1:4',
      events: 'http://127.0.0.1:6',
      logs: 'http://127.0.0.1:7',
    });
  });

  it('ignores empty variables, as the AWS SDK does', () => {
    for (const name of ['AWS_SESSION_TOKEN', 'AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB'])
      vi.stubEnv(name, '');

    expect(readAwsAccess()).toMatchObject({
      credentials: { sessionToken: undefined },
      endpoints: { dynamodb: undefined, secretsmanager: undefined },
    });
  });
});
