/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles. Lambda provides the credentials of a function's role in
 * environment variables. The other sources of that package (profiles, IAM Identity Center, containers) add 18 kB to the
 * code that every cold start loads.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */

export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
