/** Reads the environment variables of a function. Only entry points (`*.lambda.ts`) use it. */
import type { AwsAccess, ServiceName } from './aws/access.ts';

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
 * The AWS SDKs use the same variables, and ignore empty ones:
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
const endpointVariables = {
  'bedrock-runtime': 'BEDROCK_RUNTIME',
  dynamodb: 'DYNAMODB',
  events: 'EVENTBRIDGE',
  logs: 'CLOUDWATCH_LOGS',
  secretsmanager: 'SECRETS_MANAGER',
  sqs: 'SQS',
} satisfies Record<ServiceName, string>;

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
    endpoints: Object.fromEntries(
      Object.entries(endpointVariables).map(([service, name]) => [
        service,
        env[`AWS_ENDPOINT_URL_${name}`] || env.AWS_ENDPOINT_URL || undefined,
      ]),
    ),
  };
}
