/** The environment variables of a function. Only entry files call this. */
import type { AwsAccess } from './aws/access.ts';

/** Throws at start-up, before any request, when one is not set. */
export function readEnvironment<Name extends string>(...names: Name[]): Record<Name, string> {
  const values = names.map((name) => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`The environment variable ${name} is not set`);
    return [name, value] as const;
  });
  return Object.fromEntries(values) as Record<Name, string>;
}

/**
 * The credentials of a function's role stand in its environment for as long as the environment lives.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
export function readAwsAccess(): AwsAccess {
  const { env } = process;
  return {
    region: env.AWS_REGION ?? '',
    credentials: {
      accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
      sessionToken: env.AWS_SESSION_TOKEN || undefined,
    },
    // Named as for the AWS SDKs, to which an empty one is none: https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
    endpoints: {
      'bedrock-runtime': env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME || env.AWS_ENDPOINT_URL || undefined,
      dynamodb: env.AWS_ENDPOINT_URL_DYNAMODB || env.AWS_ENDPOINT_URL || undefined,
      secretsmanager: env.AWS_ENDPOINT_URL_SECRETS_MANAGER || env.AWS_ENDPOINT_URL || undefined,
      sqs: env.AWS_ENDPOINT_URL_SQS || env.AWS_ENDPOINT_URL || undefined,
    },
  };
}
