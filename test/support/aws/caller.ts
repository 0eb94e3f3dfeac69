import type { AwsClientOptions } from '#lambdas/platform/aws/access.ts';

export const exampleCaller: AwsClientOptions = {
  access: {
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' },
    endpoints: {},
  },
  now: () => new Date(),
};
