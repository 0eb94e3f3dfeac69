import type { AwsClientOptions } from '#lambdas/platform/aws/access.ts';

export const exampleClientOptions: AwsClientOptions = {
  access: {
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' },
    endpoints: {},
  },
  now: () => new Date(),
};
