/** Reads the environment variables of a function. Only entry points (`*.lambda.ts`) use it. */
import type { AwsAccess } from './aws/access.ts';

/** Throws when a variable is not set. Entry points call it at start-up, so a misconfigured function fails to start. */
export function readEnvironment<Name extends string>(...names: Name[]): Record<Name, string> {
  const values = names.map((name) => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`The environment variable ${name} is not set`);
    return [name, value] as const;
  });
  return Object.fromEntries(values) as Record<Name, string>;
}

/**
 * Lambda sets the credentials of the function's role once; they stay valid for the life of the execution environment.
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
    // The AWS SDKs use the same variables, and ignore empty ones:
    // https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
    endpoints: {
      'bedrock-runtime': env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME || env.AWS_ENDPOINT_URL || undefined,
      dynamodb: env.AWS_ENDPOINT_URL_DYNAMODB || env.AWS_ENDPOINT_URL || undefined,
      events: env.AWS_ENDPOINT_URL_EVENTBRIDGE || env.AWS_ENDPOINT_URL || undefined,
      secretsmanager: env.AWS_ENDPOINT_URL_SECRETS_MANAGER || env.AWS_ENDPOINT_URL || undefined,
      sqs: env.AWS_ENDPOINT_URL_SQS || env.AWS_ENDPOINT_URL || undefined,
    },
  };
}
